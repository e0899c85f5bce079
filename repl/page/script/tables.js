/** The call tree from outside in, and from inside out. */
import { amount, data, imageOf, isSystem, nameOf, placeOf, share } from "./data.js";
import { make } from "./dom.js";
import { bottomUp, isMatch, matches, memo, sums, topDown } from "./sums.js";
import { addView, describe, marked } from "./views.js";

function addTable(name, title, treeOf) {
  addView(name, title, (element) => {
    const LINE = 24;
    const heads = ["Total", "Self", data.words.weight];
    const head = make(
      "div",
      { class: "row head", role: "row" },
      ...heads.map((text) => make("span", { class: "number", role: "columnheader" }, text)),
      ...["Function", "Source", "Image"].map((text) =>
        make("span", { role: "columnheader" }, text)
      ),
    );
    const rows = make("div", { class: "rows", role: "rowgroup" });
    const grid = make(
      "div",
      { class: "grid", role: "treegrid", "aria-label": title, tabindex: "0" },
      head,
      rows,
    );
    element.append(grid);
    const expanded = new Set();
    let lines = [];
    let current = 0;
    let shownFor = null;

    const pathOf = (node) => node.parent === null ? "" : `${pathOf(node.parent)}/${node.of}`;
    function list() {
      const tree = treeOf();
      lines = [];
      const hidden = matches === null ? null : new Map();
      /** Whether a match is at or below a node; inside out, callers are not looked at. */
      const leads = (node) => {
        if (isMatch(node.of)) return true;
        if (name !== "topdown") return false;
        let known = hidden.get(node);
        if (known === undefined) {
          known = tree.children(node).some(leads);
          hidden.set(node, known);
        }
        return known;
      };
      // The heaviest path is open at first.
      const first = shownFor !== memo;
      shownFor = memo;
      if (first && name === "topdown") {
        let node = tree.root;
        for (let depth = 0; depth < 60; depth++) {
          const [kid] = tree.children(node);
          if (kid === undefined || kid.total < tree.root.total / 4) break;
          expanded.add(pathOf(kid));
          node = kid;
        }
      }
      const work = [...tree.children(tree.root)].reverse();
      while (work.length > 0 && lines.length < 1e6) {
        const node = work.pop();
        if (matches !== null && node.depth === 0 && !leads(node)) continue;
        const kids = tree.children(node);
        const searched = matches !== null && name === "topdown" && kids.some(leads);
        const isOpen = kids.length > 0 && (searched || expanded.has(pathOf(node)));
        lines.push({ node, isOpen, isLeaf: kids.length === 0 });
        if (!isOpen) continue;
        for (let at = kids.length - 1; at >= 0; at--) {
          if (!searched || leads(kids[at])) work.push(kids[at]);
        }
      }
      current = Math.min(current, Math.max(0, lines.length - 1));
      rows.style.height = `${lines.length * LINE}px`;
      grid.setAttribute("aria-rowcount", `${lines.length}`);
      paint();
    }
    /** Only the rows that are seen are in the document. */
    function paint() {
      const from = Math.max(0, Math.floor(element.scrollTop / LINE) - 5);
      const to = Math.min(lines.length, from + Math.ceil(element.clientHeight / LINE) + 12);
      const { total } = sums();
      rows.replaceChildren();
      if (lines.length === 0) {
        rows.append(make("div", { class: "empty" }, "Nothing here."));
        return;
      }
      for (let at = from; at < to; at++) {
        const { node, isOpen, isLeaf } = lines[at];
        const cell = make(
          "span",
          { class: "number share", role: "gridcell" },
          share(node.total, total),
        );
        cell.style.setProperty("--part", `${total > 0 ? 100 * node.total / total : 0}%`);
        const title = make(
          "span",
          {
            role: "gridcell",
            class: isSystem(node.of) ? "system" : "",
            title: nameOf(node.of),
          },
          make(
            "span",
            { class: "twist", "aria-hidden": "true" },
            isLeaf ? "" : isOpen ? "▾" : "▸",
          ),
          ...marked(nameOf(node.of)),
        );
        // However deep, half of the column is the name's.
        title.style.paddingLeft = `min(${node.depth * 14}px, 50%)`;
        const row = make(
          "div",
          {
            class: "row",
            role: "row",
            id: `${name}-${at}`,
            "aria-level": `${node.depth + 1}`,
            "aria-rowindex": `${at + 1}`,
            "aria-selected": `${at === current}`,
            "aria-expanded": isLeaf ? undefined : `${isOpen}`,
            onclick: (event) => {
              current = at;
              if (event.target.className === "twist") toggle(node);
              else select();
            },
            ondblclick: () => toggle(node),
          },
          cell,
          make("span", { class: "number", role: "gridcell" }, share(node.self, total)),
          make("span", { class: "number", role: "gridcell" }, amount(node.total)),
          title,
          make("span", { role: "gridcell", class: "muted" }, placeOf(node.frame)),
          make("span", { role: "gridcell", class: "muted" }, imageOf(node.of)),
        );
        row.style.top = `${at * LINE}px`;
        rows.append(row);
      }
      grid.setAttribute("aria-activedescendant", `${name}-${current}`);
    }
    function toggle(node, open = !expanded.has(pathOf(node))) {
      if (open) expanded.add(pathOf(node));
      else expanded.delete(pathOf(node));
      list();
    }
    function select() {
      const { node } = lines[current];
      const { total } = sums();
      describe(node.of, node.frame, [
        ["Total", `${amount(node.total)}, ${share(node.total, total)}`],
        ["Self", `${amount(node.self)}, ${share(node.self, total)}`],
      ]);
      const top = current * LINE;
      const room = element.clientHeight - 30;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + LINE > element.scrollTop + room) element.scrollTop = top + LINE - room;
      paint();
    }
    element.addEventListener("scroll", paint);
    grid.addEventListener("keydown", (event) => {
      const line = lines[current];
      if (line === undefined) return;
      const page = Math.max(1, Math.floor(element.clientHeight / LINE) - 2);
      const to = {
        ArrowDown: current + 1,
        ArrowUp: current - 1,
        PageDown: current + page,
        PageUp: current - page,
        Home: 0,
        End: lines.length - 1,
      }[event.key];
      if (to !== undefined) current = Math.max(0, Math.min(lines.length - 1, to));
      else if (event.key === "ArrowRight") {
        if (!line.isOpen && !line.isLeaf) toggle(line.node, true);
        else if (line.isOpen) current++;
      } else if (event.key === "ArrowLeft") {
        if (line.isOpen) toggle(line.node, false);
        else {
          const above = lines.findLastIndex(({ node }, at) =>
            at < current && node === line.node.parent
          );
          if (above >= 0) current = above;
        }
      } else if (event.key === "Enter" || event.key === " ") toggle(line.node);
      else return;
      event.preventDefault();
      event.stopPropagation();
      select();
    });
    return { draw: list };
  });
}
addTable("topdown", "Top-down", topDown);
addTable("bottomup", "Bottom-up", bottomUp);
