"use strict";
// The page is complete without this script; it adds filter, sort, pages and the detail of an output.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const rows = data.rows;
  const pageSize = 200;
  const rank = { error: 4, warning: 3, skip: 2, pass: 1 };
  let shown = rows.map((_, i) => i);
  let page = 0;
  let sort = { column: 0, down: false };
  const body = document.querySelector("#rows tbody");

  const element = (name, text, className) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const number = (value) => (value === null || value === undefined ? "" : typeof value === "string" ? value : String(Number(value.toPrecision(4))));
  // "nan" and "inf" come as strings: they sort as the worst.
  const sortable = (value, column) => {
    if (column === 1) return value;
    if (column === 2) return rank[value] || 0;
    return value === null ? -Infinity : typeof value === "string" ? (value === "-inf" ? -Infinity : Infinity) : value;
  };

  function draw() {
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    page = Math.min(page, pages - 1);
    body.replaceChildren(...shown.slice(page * pageSize, (page + 1) * pageSize).map((i) => {
      const row = rows[i];
      const line = element("tr");
      const name = element("td");
      const open = element("button", row[1], "name");
      open.type = "button";
      open.addEventListener("click", () => detail(i));
      name.append(open);
      const verdict = element("td");
      verdict.append(element("span", row[2], "tag " + row[2]));
      line.append(element("td", String(row[0])), name, verdict);
      for (let column = 3; column <= 6; column++) line.append(element("td", number(row[column]), "number"));
      line.append(element("td", row[7]));
      return line;
    }));
    document.getElementById("row-count").textContent = shown.length + " of " + rows.length + " outputs";
    document.getElementById("page").textContent = "page " + (page + 1) + " of " + pages;
    document.getElementById("pages").hidden = pages === 1;
  }

  function select() {
    const name = document.getElementById("filter-name").value.toLowerCase();
    const verdict = document.getElementById("filter-verdict").value;
    shown = [];
    for (let i = 0; i < rows.length; i++) {
      if ((!verdict || rows[i][2] === verdict) && (!name || rows[i][1].toLowerCase().includes(name))) shown.push(i);
    }
    const sign = sort.down ? -1 : 1;
    shown.sort((l, r) => {
      const a = sortable(rows[l][sort.column], sort.column);
      const b = sortable(rows[r][sort.column], sort.column);
      return a < b ? -sign : a > b ? sign : l - r;
    });
    page = 0;
    draw();
  }

  function detail(i) {
    const row = rows[i];
    const more = row[8];
    const target = document.getElementById("detail-body");
    const title = element("h2", row[1]);
    title.id = "detail-title";
    const facts = element("dl", undefined, "facts");
    const fact = (term, text) => {
      if (text === undefined || text === null || text === "") return;
      facts.append(element("dt", term), element("dd", text));
    };
    const verdict = element("dd");
    verdict.append(element("span", row[2], "tag " + row[2]));
    facts.append(element("dt", "verdict"), verdict);
    fact("message", row[7]);
    fact("reason", more.reason ? more.reason + (data.reasons[more.reason] ? ": " + data.reasons[more.reason] : "") : "");
    fact("judged as", more.judged_as);
    fact("actual", more.actual);
    fact("expected", more.expected);
    if (more.worst) {
      fact("worst element", "[" + more.worst.index.join(", ") + "]: actual " + more.worst.actual + ", expected " + more.worst.expected +
        (more.worst.ulp !== undefined ? ", " + number(more.worst.ulp) + " ulp apart" : ""));
    }
    fact("notes", (more.notes || []).join("; "));
    const metrics = element("table");
    (more.metrics || []).forEach((value, k) => {
      if (value === null) return;
      const line = element("tr");
      line.append(element("th", data.metrics[k]), element("td", number(value), "number"));
      metrics.append(line);
    });
    target.replaceChildren(title, facts, element("h3", "Show it again"), element("pre", data.command + " --api '" + more.stem + "'"),
      element("h3", "Metrics"), metrics);
    document.getElementById("detail").showModal();
  }

  document.querySelectorAll("#rows th[data-column]").forEach((head) => {
    const button = element("button", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const column = Number(head.dataset.column);
      sort = { column, down: sort.column === column ? !sort.down : column > 1 };
      document.querySelectorAll("#rows th").forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      select();
    });
  });
  document.querySelectorAll("[data-row]").forEach((node) => {
    const open = element("button", node.textContent, "name");
    open.type = "button";
    open.addEventListener("click", () => detail(Number(node.dataset.row)));
    node.replaceChildren(open);
  });
  document.getElementById("controls").hidden = false;
  document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("filter-name").addEventListener("input", select);
  document.getElementById("filter-verdict").addEventListener("change", select);
  document.getElementById("previous").addEventListener("click", () => { page = Math.max(0, page - 1); draw(); });
  document.getElementById("next").addEventListener("click", () => { page += 1; draw(); });
  document.getElementById("more").textContent = "";
  select();
})();
