const questions = JSON.parse(document.getElementById("questions").textContent);
const $ = (selector) => document.querySelector(selector);
// Two pages of one browser must not take each other's answers.
const KEPT = "murid " + questions.map((one) => one.key).join(" ").split("").reduce(
  (sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7);
const UNSURE = "?";
const NOBODY = "nobody";
let answers = {}; // by a question's key: {animal, when, remark}
let order = []; // keys in the order of their answers, for undo
let at = 0;

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) || "{}");
    answers = kept.answers || {};
    order = kept.order || [];
    $("#who").value = kept.who || "";
  } catch (error) {
    // Without storage, answers last as long as the page.
  }
}

function keep() {
  try {
    localStorage.setItem(KEPT, JSON.stringify({answers, order, who: $("#who").value}));
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
    element("span", "", row);
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
    if (name.colour) button.style.setProperty("--colour", name.colour);
    button.setAttribute("aria-pressed", String((answers[one.key] || {}).animal === name.animal));
    button.addEventListener("click", () => answer(name.animal));
  });
  $("#remark").value = (answers[one.key] || {}).remark || "";
  showProgress();
  $("#list").children[at].scrollIntoView({block: "nearest"});
}

function answer(animal) {
  const key = questions[at].key;
  answers[key] = {animal, when: new Date().toISOString().slice(0, 19) + "Z", remark: $("#remark").value.trim()};
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

function cell(value) {
  let text = String(value);
  // As spreadsheets take such a text for a formula; a number below 0 stays one.
  if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function corrections() {
  const columns = ["cage", "segment", "frame", "x1", "y1", "x2", "y2", "animal", "who", "when", "remark"];
  const rows = questions.filter((one) => answers[one.key] && answers[one.key].animal !== UNSURE).map((one) => {
    const given = answers[one.key];
    return [one.cage, one.segment, one.frame, ...one.box, given.animal, $("#who").value.trim(), given.when, given.remark];
  });
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([corrections()], {type: "text/csv"}));
  link.download = "corrections.csv";
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

load();
listQuestions();
const open = questions.findIndex((one) => !answers[one.key]);
show(open >= 0 ? open : 0);
