// Sorting and filtering of the ranking; without this script the table is just a table.
(function () {
  "use strict";
  const table = document.getElementById("ranking-table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const headers = Array.from(table.tHead.rows[0].cells);

  function value(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
  }

  function compare(a, b) {
    return typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b;
  }

  function sort(column, direction) {
    rows.sort((a, b) => direction * compare(value(a, column), value(b, column)));
    body.append(...rows);
    headers.forEach((header, i) => {
      if (i === column) header.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else header.removeAttribute("aria-sort");
    });
  }

  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    // The first click shows the best first.
    const first = header.dataset.first === "descending" ? -1 : 1;
    button.addEventListener("click", () => {
      const now = header.getAttribute("aria-sort");
      const sorted = now === "ascending" ? 1 : now === "descending" ? -1 : 0;
      sort(column, sorted === 0 ? first : -sorted);
    });
  });

  const bar = document.createElement("div");
  bar.className = "filter";
  const label = document.createElement("label");
  label.textContent = "Show features whose name contains";
  label.htmlFor = "filter";
  const input = document.createElement("input");
  input.type = "search";
  input.id = "filter";
  const status = document.createElement("span");
  status.className = "soft";
  status.setAttribute("role", "status");
  bar.append(label, input, status);
  table.closest(".scroll").before(bar);
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.cells[1].textContent.toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    }
    status.textContent = wanted ? shown + " of " + rows.length : "";
  });
})();
