// Tables of class "sortable": a header sorts by its column, words leave out the rows that lack any
// of them. All of it is made here: where scripts are off, the tables are read as they are written.
"use strict";
const FEW = 5; // rows that need no filter
const NOTHING = "–";
const byText = new Intl.Collator("en", {numeric: true}).compare;

function made(name, parent, properties) {
  const element = Object.assign(document.createElement(name), properties);
  parent.append(element);
  return element;
}

// What a cell says, without the small print under it.
function said(cell) {
  const parts = [...cell.childNodes].filter((part) => !part.classList?.contains("word"));
  return cell.dataset.value ?? parts.map((part) => part.textContent).join("").trim();
}

// A number begins its cell, as in 1,234 px, 95%, 17 of 18, or 2:05 for minutes and seconds.
function amount(text) {
  const parts = text.replaceAll(",", "").replace("−", "-").split(":");
  return parts.reduce((sum, part) => 60 * sum + parseFloat(part), 0);
}

function keyOf(cell, isText) {
  const text = said(cell);
  const key = isText ? text : amount(text);
  return text === "" || text === NOTHING || Number.isNaN(key) ? null : key;
}

function furnish(table) {
  const body = table.tBodies[0];
  const asWritten = [...body.rows];
  const headers = [...table.tHead.rows].at(-1).cells;
  let column = 0;
  let direction = 0; // 1 up, -1 down, 0 as written

  function sort() {
    const isLeft = column === 0 || headers[column].matches(".text, .reason");
    const isText = isLeft && !asWritten.every((row) => /^[\d,]+$/.test(said(row.cells[column])));
    const keyed = asWritten.map((row) => [keyOf(row.cells[column], isText), row]);
    if (direction) {
      keyed.sort(([one], [other]) => one === null || other === null
        ? (one === null) - (other === null)
        : direction * (isText ? byText(one, other) : one - other));
    }
    body.append(...keyed.map(([, row]) => row));
    for (const header of headers) header.removeAttribute("aria-sort");
    if (direction) headers[column].setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    choice.value = direction ? `${column} ${direction}` : "";
    table.classList.toggle("changed", direction !== 0);
  }

  function filter() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of asWritten) {
      const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
      const stays = words.every((word) => text.includes(word));
      row.classList.toggle("out", !stays);
      left += stays;
    }
    told.textContent = words.length ? `${left} of ${asWritten.length} rows` : "";
  }

  const region = table.parentElement.getAttribute("aria-label");
  const tools = document.createElement("div");
  tools.className = "tools";
  table.parentElement.before(tools);
  const field = made("input", made("label", tools, {textContent: "Filter "}), {
    type: "search", ariaLabel: `Filter rows: ${region}`, oninput: filter});
  field.parentElement.hidden = asWritten.length <= FEW;
  // On a telephone, where rows are stacked and there are no headers.
  const choice = made("select", made("label", tools, {textContent: "Sort ", className: "unheaded"}), {
    ariaLabel: `Sort rows: ${region}`, onchange: () => {
      [column, direction] = choice.value.split(" ").map(Number).concat(0);
      sort();
    }});
  made("option", choice, {textContent: "as listed", value: ""});
  const told = made("span", tools, {role: "status", className: "faint"});
  [...headers].map(said).forEach((name, place) => {
    for (const [way, arrow] of [[1, "▲"], [-1, "▼"]]) {
      made("option", choice, {textContent: `${name} ${arrow}`, value: `${place} ${way}`});
    }
    const inside = [...headers[place].childNodes];
    const button = made("button", headers[place], {type: "button", onclick: () => {
      direction = place !== column || !direction ? 1 : direction > 0 ? -1 : 0;
      column = place;
      sort();
    }});
    button.append(...inside);
  });
}

for (const table of document.querySelectorAll("table.sortable")) {
  if (table.tBodies[0].rows.length > 1) furnish(table);
}

// Browsers that cannot be told so by the style sheet print nothing of what is folded.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details.long")) folded.open = true;
});
