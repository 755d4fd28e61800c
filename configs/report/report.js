"use strict";
// The page is complete without this script; it adds filter, sort, pages, the detail of each row and, where it is served, news.
(() => {
  const pageSize = 100;
  const rank = { error: 4, warning: 3, skip: 2, pass: 1 };
  const at = (id) => document.getElementById(id);
  let data = JSON.parse(at("data").textContent);
  let shown = [];
  let page = 0;
  let sort = { column: "position", down: false };
  let opened = -1;

  const element = (name, content, className) => {
    const node = document.createElement(name);
    if (content !== undefined) node.append(...[content].flat());
    if (className) node.className = className;
    return node;
  };
  // "nan" and "inf" come as strings.
  const number = (value) =>
    value === null || value === undefined ? "" : typeof value === "string" ? value : String(Number(value.toPrecision(4)));
  const tag = (verdict) => element("span", verdict, "tag " + verdict);
  const opener = (text, action) => {
    const button = element("button", text, "name");
    button.type = "button";
    button.addEventListener("click", action);
    return button;
  };
  const table = (heads, lines) => {
    const head = element("tr", heads.map((text) => element("th", text)));
    return element("div", element("table", [element("thead", head), element("tbody", lines)]), "scroll");
  };

  // The rows' details come in compressed parts; a part is unpacked when it is first asked for.
  const parts = new Map();
  async function detailOf(row) {
    const part = Math.floor(row / data.part_rows);
    if (document.readyState === "loading") {
      // They stand after this script, so that a large page can be used before all of it has come.
      await new Promise((ready) => document.addEventListener("DOMContentLoaded", ready, { once: true }));
    }
    if (!parts.has(part)) {
      const text = document.querySelectorAll("#parts .details")[part].textContent;
      const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      parts.set(part, new Response(stream).json());
    }
    return (await parts.get(part))[row % data.part_rows];
  }

  function draw() {
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    page = Math.min(page, pages - 1);
    const lines = shown.slice(page * pageSize, (page + 1) * pageSize).map((i) =>
      element("tr", [
        element("td", String(data.position[i])),
        element("td", opener(data.name[i], () => openRow(i))),
        element("td", tag(data.verdict[i])),
        ...data.numbers.map((column) => element("td", number(column[i]), "number")),
        element("td", data.message[i]),
      ]));
    document.querySelector("#rows tbody").replaceChildren(...lines);
    at("row-count").textContent = shown.length + " of " + data.name.length + " rows";
    at("page").textContent = "page " + (page + 1) + " of " + pages;
    at("pages").hidden = pages === 1;
  }

  // What isn't a number sorts as the worst, what is missing as the least.
  const sortKey = (value) => (value === null ? -Infinity : typeof value === "string" ? (value === "-inf" ? -Infinity : Infinity) : value);

  function select() {
    const text = at("filter-name").value.toLowerCase();
    const verdict = at("filter-verdict").value;
    shown = [];
    for (let i = 0; i < data.name.length; i++) {
      if (verdict && data.verdict[i] !== verdict) continue;
      if (!text || data.name[i].toLowerCase().includes(text) || data.message[i].toLowerCase().includes(text)) shown.push(i);
    }
    // Rows come in the order of the run.
    if (sort.column === "position") {
      if (sort.down) shown.reverse();
      draw();
      return;
    }
    const key = {
      name: (i) => data.name[i],
      verdict: (i) => rank[data.verdict[i]] || 0,
    }[sort.column] || ((i) => sortKey(data.numbers[sort.column][i]));
    const sign = sort.down ? -1 : 1;
    shown.sort((l, r) => {
      const a = key(l), b = key(r);
      return a < b ? -sign : a > b ? sign : l - r;
    });
    draw();
  }
  const selectFromStart = () => { page = 0; select(); };

  function histogram(bins) {
    const counts = [0, 0, 0, 0];
    for (const [bin, count] of bins) counts[bin] = count;
    const total = bins.reduce((sum, [, count]) => sum + count, 0);
    if (!(total > 0)) return [];
    const label = (bin) => (bin < 3 ? String(bin) : "≤2^" + (bin - 1));
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const draw = (name, attributes, text) => {
      const node = document.createElementNS(svg.namespaceURI, name);
      for (const key in attributes) node.setAttribute(key, attributes[key]);
      if (text) node.append(text);
      svg.append(node);
      return node;
    };
    svg.setAttribute("viewBox", "0 0 480 110");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "elements of this output by " + data.histogram_of);
    const width = 460 / counts.length;
    const step = Math.ceil(counts.length / 10);
    for (let bin = 0; bin < counts.length; bin++) {
      const count = counts[bin] || 0;
      const height = 76 * Math.sqrt(count / total);
      if (count > 0) {
        const bar = draw("rect", { class: "bar", x: 11 + width * bin, y: 84 - height, width: Math.max(1, width - 2), height });
        const title = document.createElementNS(svg.namespaceURI, "title");
        title.append(label(bin) + " " + data.histogram_of + ": " + count + " elements");
        bar.append(title);
      }
      if (bin % step === 0) draw("text", { x: 10 + width * (bin + 0.5), y: 98, "text-anchor": "middle" }, label(bin));
    }
    return [element("h3", "Elements by " + data.histogram_of), svg];
  }

  const shellWord = (word) => (/^[\w./:=,@%+-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

  function show(title, content) {
    const heading = element("h2", title);
    heading.id = "detail-title";
    at("detail-body").replaceChildren(heading, ...content);
    if (!at("detail").open) at("detail").showModal();
    at("detail").scrollTop = 0;
  }

  async function openRow(i) {
    opened = i;
    const detail = await detailOf(i);
    if (opened !== i) return;
    const facts = element("dl", undefined, "facts");
    const fact = (term, content) => {
      if (content !== "" && content !== undefined) facts.append(element("dt", term), element("dd", content));
    };
    fact("call", opener(data.call[i], () => openCall(data.call[i])));
    fact("verdict", tag(data.verdict[i]));
    fact("message", data.message[i]);
    // A code of the user's own standard has no words here.
    const [title, meaning, action] = data.reasons[detail.reason] || [];
    fact("reason", detail.reason + (title ? ": " + title : ""));
    fact("meaning", meaning);
    fact("what to do", action);
    for (const [term, text] of detail.facts) fact(term, text);
    const content = [facts];
    if (detail.elements.length) {
      content.push(element("h3", "Worst elements"),
        table(data.element_columns, detail.elements.map((cells) => element("tr", cells.map((text) => element("td", text))))));
    }
    content.push(...histogram(detail.histogram));
    content.push(...again(data.call[i]));
    const metrics = detail.metrics.map((value, k) => [data.metrics[k], value]).filter(([, value]) => value !== null);
    if (metrics.length) {
      content.push(element("h3", "Metrics"), table(["metric", "value"],
        metrics.map(([name, value]) => element("tr", [element("th", name), element("td", String(value), "number")]))));
    }
    show(data.name[i], content);
  }

  // The command that shows a call again, of runs that can be repeated.
  function again(call) {
    if (!data.command) return [];
    return [element("h3", "Show it again"), element("pre", data.command + " --api " + shellWord(call))];
  }

  // All rows of one call.
  function openCall(call) {
    opened = -1;
    const lines = [];
    data.call.forEach((each, i) => {
      if (each !== call) return;
      lines.push(element("tr", [
        element("td", opener(data.name[i], () => openRow(i))),
        element("td", tag(data.verdict[i])),
        ...data.numbers.map((column) => element("td", number(column[i]), "number")),
        element("td", data.message[i]),
      ]));
    });
    show(call, [table(["name", "verdict", ...data.columns, "message"], lines), ...again(call)]);
  }

  // The row before or after the opened one, in the order that is shown.
  function step(by) {
    const next = shown[shown.indexOf(opened) + by];
    if (opened >= 0 && next !== undefined) openRow(next);
  }

  function moveFocus(by) {
    const names = [...document.querySelectorAll("#rows tbody button.name")];
    const next = names[Math.max(0, names.indexOf(document.activeElement) + by)];
    if (next) next.focus();
  }

  function connectFindings() {
    document.querySelectorAll("[data-row]").forEach((node) => {
      node.replaceChildren(opener(node.textContent, (event) => {
        event.preventDefault();
        openRow(Number(node.dataset.row));
      }));
    });
    document.querySelectorAll("[data-filter]").forEach((node) => {
      node.replaceChildren(opener(node.textContent, () => {
        at("filter-name").value = node.dataset.filter;
        selectFromStart();
        at("all").scrollIntoView();
      }));
    });
  }

  document.querySelectorAll("#rows th[data-column]").forEach((head) => {
    const button = element("button", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const column = head.dataset.column;
      sort = { column, down: sort.column === column ? !sort.down : column !== "position" && column !== "name" };
      document.querySelectorAll("#rows th").forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      selectFromStart();
    });
  });
  const turn = (by) => { page = Math.max(0, page + by); draw(); };
  at("controls").hidden = false;
  at("controls").addEventListener("submit", (event) => event.preventDefault());
  at("filter-name").addEventListener("input", selectFromStart);
  at("filter-verdict").addEventListener("change", selectFromStart);
  at("previous").addEventListener("click", () => turn(-1));
  at("next").addEventListener("click", () => turn(1));
  at("detail-previous").addEventListener("click", () => step(-1));
  at("detail-next").addEventListener("click", () => step(1));
  at("more").textContent = "";
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      if (event.key === "Escape") document.activeElement.blur();
      return;
    }
    const open = at("detail").open;
    const keys = {
      "/": () => at("filter-name").focus(), j: () => (open ? step(1) : moveFocus(1)), k: () => (open ? step(-1) : moveFocus(-1)),
      n: () => turn(1), p: () => turn(-1),
    };
    if (!keys[event.key] || (open && !"jk".includes(event.key))) return;
    event.preventDefault();
    keys[event.key]();
  });

  // A served page of a run that goes on: what changed takes the old one's place; filter, order and page stay.
  async function news() {
    const state = await (await fetch("state", { cache: "no-store" })).json();
    if (state.rows !== data.name.length || state.complete !== news.complete) {
      const next = new DOMParser().parseFromString(await (await fetch("./", { cache: "no-store" })).text(), "text/html");
      for (const name of ["head", "findings"]) {
        document.querySelector("[data-news=" + name + "]").replaceChildren(...next.querySelector("[data-news=" + name + "]").childNodes);
      }
      data = JSON.parse(next.getElementById("data").textContent);
      at("parts").replaceChildren(...next.getElementById("parts").childNodes);
      parts.clear();
      connectFindings();
      select();
      news.complete = state.complete;
    }
    if (!state.complete) setTimeout(follow, 1000);
  }
  const follow = () => news().catch(() => setTimeout(follow, 5000));

  connectFindings();
  select();
  if ("live" in document.body.dataset) follow();
})();
