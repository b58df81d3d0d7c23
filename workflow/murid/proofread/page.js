const questions = JSON.parse(document.getElementById("questions").textContent);
const $ = (selector) => document.querySelector(selector);
// Two pages of one browser must not take each other's answers.
const KEPT = "murid " + questions.map((one) => one.key).join(" ").split("").reduce(
  (sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7);
const UNSURE = "?";
const NOBODY = "nobody";
// The file that the settings name: {name, separator, rows}, of which the first names the columns.
const former = JSON.parse(document.getElementById("former").textContent);
const [header, ...formerRows] = former.rows.length ? former.rows : [[]];
const COLUMNS = ["cage", "segment", "frame", "x1", "y1", "x2", "y2", "animal", "who", "when", "remark"];
let answers = {}; // by a question's key: {animal, when}
let remarks = {}; // by a question's key, answered or not yet
let order = []; // keys in the order of their answers, for undo
let at = 0;

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) || "{}");
    answers = kept.answers || {};
    remarks = kept.remarks || {};
    order = kept.order || [];
    $("#who").value = kept.who || "";
  } catch (error) {
    // Without storage, answers last as long as the page.
  }
}

function keep() {
  try {
    localStorage.setItem(KEPT, JSON.stringify({answers, remarks, order, who: $("#who").value}));
  } catch (error) {
    // As above.
  }
}

function element(name, text, parent) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  parent.append(made);
  return made;
}

function clock(frame, fps) {
  const seconds = frame / fps;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(1).padStart(4, "0")}`;
}

function listQuestions() {
  questions.forEach((one, place) => {
    const row = element("button", `${place + 1}. ${one.cage} ${one.segment}`, element("li", "", $("#list")));
    row.type = "button";
    element("span", "", row).title = "How long after the start; how many boxes an answer is expected to put right; and the answer";
    row.addEventListener("click", () => show(place));
  });
}

function showProgress() {
  const done = questions.filter((one) => answers[one.key]).length;
  $("#progress progress").value = done;
  $("#progress span").textContent = `${done} of ${questions.length} answered`;
  questions.forEach((one, place) => {
    const row = $("#list").children[place].firstChild;
    const answer = answers[one.key];
    const said = !answer ? "open" : answer.animal === UNSURE ? "cannot tell" : answer.animal;
    row.lastChild.textContent = `${clock(one.frame, one.fps)} · ${Math.round(one.gain).toLocaleString("en")} boxes · ${said}`;
    row.setAttribute("aria-current", String(place === at));
  });
}

function show(place) {
  at = Math.min(Math.max(place, 0), questions.length - 1);
  const one = questions[at];
  const video = $("video");
  video.poster = one.still;
  video.src = one.clip;
  $("img").src = one.still;
  $("#ask").textContent = `Who is the animal in the white box? Cage ${one.cage}, segment ${one.segment}, `
    + `frame ${one.frame.toLocaleString("en")} (${clock(one.frame, one.fps)} min)`;
  $("#names").replaceChildren();
  [...one.names, {animal: NOBODY, colour: "", probability: one.nobody}].forEach((name, number, all) => {
    const key = number === all.length - 1 ? "0" : number < 9 ? String(number + 1) : "";
    const button = element("button", "", $("#names"));
    button.type = "button";
    if (key) element("kbd", key, button);
    button.append(` ${name.animal} `);
    element("small", `${Math.round(100 * name.probability)}%`, button);
    if (name.animal === NOBODY) button.title = "No animal's box, such as a second one on the same animal";
    if (name.colour) button.style.setProperty("--colour", name.colour);
    button.setAttribute("aria-pressed", String((answers[one.key] || {}).animal === name.animal));
    button.addEventListener("click", () => answer(name.animal));
  });
  $("#remark").value = remarks[one.key] || "";
  $("#before").textContent = formerOf(one).map((row) => `Answered before: ${cellOf(row, "animal")}`
    + (cellOf(row, "who") && `, by ${cellOf(row, "who")}`) + ". A new answer replaces this one.").join(" ");
  showProgress();
  $("#list").children[at].scrollIntoView({block: "nearest"});
}

function answer(animal) {
  const key = questions[at].key;
  answers[key] = {animal, when: new Date().toISOString().slice(0, 19) + "Z"};
  order = [...order.filter((other) => other !== key), key];
  keep();
  const open = (one) => !answers[one.key];
  const later = questions.findIndex((one, place) => place > at && open(one));
  const next = later >= 0 ? later : questions.findIndex(open);
  show(next >= 0 ? next : at);
}

function undo() {
  const key = order.pop();
  if (key === undefined) return;
  delete answers[key];
  keep();
  show(questions.findIndex((one) => one.key === key));
}

// What is saved: the file of before, in which answers take the place of those about the same box.

function cellOf(row, column) {
  const text = (row[header.indexOf(column)] || "").trim();
  return ["na", "nan", "null", "none"].includes(text.toLowerCase()) ? "" : text;
}

const placeOf = (cage, segment, frame) => JSON.stringify([cage, segment, Number(frame)]);
const formerAt = new Map();
formerRows.forEach((row) => {
  const key = placeOf(cellOf(row, "cage"), cellOf(row, "segment"), cellOf(row, "frame") || NaN);
  formerAt.set(key, [...(formerAt.get(key) || []), row]);
});

function formerOf(one) {
  return (formerAt.get(placeOf(one.cage, one.segment, one.frame)) || []).filter((row) => {
    const corners = ["x1", "y1", "x2", "y2"].map((name) => cellOf(row, name));
    // A box tells which is meant; only without one does the number of a tracklet.
    if (!corners.some(Boolean)) return cellOf(row, "tracklet") === String(one.tracklet);
    return corners.every((text, side) => text && Math.abs(Number(text) - one.box[side]) <= 0.5);
  });
}

function asCell(value) {
  const text = String(value);
  // As spreadsheets take such a text for a formula; a number below 0 stays one.
  return typeof value !== "number" && /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
}

function quoted(text) {
  return /["\r\n]/.test(text) || text.includes(former.separator) ? `"${text.replaceAll('"', '""')}"` : text;
}

function corrections() {
  const columns = [...header, ...COLUMNS.filter((name) => !header.includes(name))];
  const given = questions.filter((one) => answers[one.key] && answers[one.key].animal !== UNSURE);
  const replaced = new Set(given.flatMap(formerOf));
  const kept = formerRows.filter((row) => !replaced.has(row)).map((row) => columns.map((_, at) => row[at] || ""));
  const added = given.map((one) => {
    const [x1, y1, x2, y2] = one.box;
    const said = {
      cage: one.cage, segment: one.segment, frame: one.frame, x1, y1, x2, y2, animal: answers[one.key].animal,
      who: $("#who").value.trim(), when: answers[one.key].when, remark: (remarks[one.key] || "").trim(),
    };
    return columns.map((name) => Object.hasOwn(said, name) ? asCell(said[name]) : "");
  });
  return [columns, ...kept, ...added].map((row) => row.map(quoted).join(former.separator)).join("\n") + "\n";
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([corrections()], {type: "text/csv"}));
  link.download = former.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
  const names = questions[at].names;
  if (event.key >= "1" && event.key <= "9" && event.key.length === 1) {
    const name = names[Number(event.key) - 1];
    if (name) answer(name.animal);
  } else if (event.key === "0") answer(NOBODY);
  else if (event.key === " ") answer(UNSURE);
  else if (event.key === "u" || event.key === "Backspace") undo();
  else if (event.key === "ArrowLeft") show(at - 1);
  else if (event.key === "ArrowRight") show(at + 1);
  else if (event.key === "r") $("video").currentTime = 0;
  else return;
  event.preventDefault();
});
$("#unsure").addEventListener("click", () => answer(UNSURE));
$("#undo").addEventListener("click", undo);
$("#back").addEventListener("click", () => show(at - 1));
$("#next").addEventListener("click", () => show(at + 1));
$("#again").addEventListener("click", () => { $("video").currentTime = 0; });
$("#save").addEventListener("click", save);
$("#who").addEventListener("change", keep);
$("#remark").addEventListener("input", () => {
  remarks[questions[at].key] = $("#remark").value;
  keep();
});

load();
listQuestions();
const open = questions.findIndex((one) => !answers[one.key]);
show(open >= 0 ? open : 0);
