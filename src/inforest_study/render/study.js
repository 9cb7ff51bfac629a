// Sorting, filtering, and the rows behind a row; without this script the tables are just tables.
(function () {
  "use strict";

  function value(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
  }

  // What is not there comes last, whichever way one sorts.
  function compare(a, b, direction) {
    if (a === b) return 0;
    const absent = (one) => one === "–" || Number.isNaN(one);
    if (absent(a) || absent(b)) return absent(a) - absent(b);
    if (typeof a === typeof b && typeof a === "number") return direction * (a - b);
    return direction * String(a).localeCompare(String(b), undefined, { numeric: true });
  }

  function makeSortable(table, rows) {
    const headers = Array.from(table.tHead.rows[0].cells);
    headers.forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const direction = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        rows.sort((a, b) => compare(value(a, column), value(b, column), direction));
        table.tBodies[0].append(...rows);
        headers.forEach((one) => one.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      });
    });
  }

  function makeFilter(table, rows) {
    const bar = document.createElement("div");
    bar.className = "filter";
    const label = document.createElement("label");
    const input = document.createElement("input");
    const status = document.createElement("span");
    input.type = "search";
    status.className = "soft";
    status.setAttribute("role", "status");
    label.append("Show rows with ", input);
    bar.append(label, status);
    table.closest(".scroll").before(bar);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) shown += 1;
      }
      status.textContent = input.value ? shown + " of " + rows.length : "";
    });
  }

  function showSources(table, rows) {
    const place = document.getElementById(table.dataset.key + "-source");
    for (const row of rows) {
      row.addEventListener("click", () => {
        rows.forEach((one) => one.classList.toggle("shown", one === row));
        place.closest("details").open = true;
        place.textContent = row.cells[0].textContent + " ← " + row.dataset.source;
      });
    }
  }

  for (const table of document.querySelectorAll("table[data-key]")) {
    const rows = Array.from(table.tBodies[0].rows);
    makeSortable(table, rows);
    if (rows.length > 20) makeFilter(table, rows);
    showSources(table, rows);
  }
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.table")) details.open = true;
  });
})();
