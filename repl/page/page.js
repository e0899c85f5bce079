// The page of `machpause view -o`: draws what is in the element #data. It asks no network, and puts text
// into the document as text only.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { strings, functions, frames, stacks, threads, moment } = data;
  const main = document.querySelector("main");
  const aside = document.querySelector("aside");
  const byId = (id) => document.getElementById(id);

  /** Makes an element. `on…` properties are listeners; text is never markup. */
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "class") element.className = value;
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }
  const say = (text) => byId("said").textContent = text;

  // What is selected

  const state = {
    tab: moment ? "parallel" : "flame",
    thread: -1,
    from: -Infinity,
    to: Infinity,
    query: "",
    /** Of the moment that parallel stacks show. */
    at: 0,
    own: false,
  };
  /** The threads of the timeline: of a moment, those that were looked at before it. */
  const lanes = data.timeline ?? threads;
  for (const { samples } of new Set([...threads, ...lanes])) unpack(samples);
  const end = lanes.reduce(
    (last, { samples: { time, length } }) =>
      length > 0 ? Math.max(last, time[length - 1] + data.interval) : last,
    data.interval || 1,
  );
  state.at = end / 2;

  /** Times come as differences, in microseconds; a weight of 1 and a state of 0 are left out. */
  function unpack(samples) {
    const length = samples.length = samples.stack.length;
    const time = new Float64Array(length);
    let now = 0;
    samples.time.forEach((delta, row) => time[row] = (now += delta) / 1000);
    samples.time = time;
    samples.stack = Int32Array.from(samples.stack);
    samples.weight = samples.weight === undefined
      ? new Float64Array(length).fill(1)
      : Float64Array.from(samples.weight);
    samples.state = samples.state === undefined
      ? new Uint8Array(length)
      : Uint8Array.from(samples.state);
  }

  const nameOf = (of) => strings[functions.name[of]];
  const imageOf = (of) => functions.image[of] < 0 ? "" : strings[functions.image[of]];
  const isSystem = (of) => functions.system[of] === 1;
  function placeOf(frame, whole = false) {
    if (frame === undefined || frames.file[frame] < 0) return "";
    const file = strings[frames.file[frame]];
    const line = frames.line[frame];
    return (whole ? file : file.slice(file.lastIndexOf("/") + 1)) + (line > 0 ? `:${line}` : "");
  }
  const selected = () => state.thread < 0 ? threads : [threads[state.thread]];

  const numbers = new Intl.NumberFormat("en");
  function amount(weight) {
    switch (data.unit) {
      case "samples":
        return numbers.format(weight);
      case "bytes":
        return weight < 1e6 ? `${numbers.format(weight)} B` : `${(weight / 1e6).toFixed(1)} MB`;
      default: {
        const ms = weight * { nanoseconds: 1e-6, microseconds: 1e-3, milliseconds: 1 }[data.unit];
        return ms < 1000 ? `${ms.toFixed(ms < 10 ? 2 : 1)} ms` : `${(ms / 1000).toFixed(2)} s`;
      }
    }
  }
  const share = (part, whole) => whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "0.0 %";
  const clock = (ms) => end < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(3)} s`;

  // Search

  let matches = null;
  function search(query) {
    state.query = query;
    const wanted = query.trim().toLowerCase();
    matches = wanted === "" ? null : Uint8Array.from(
      functions.name,
      (_, of) =>
        nameOf(of).toLowerCase().includes(wanted) || imageOf(of).toLowerCase() === wanted ? 1 : 0,
    );
    let text = "";
    if (matches !== null) {
      const { weights, total } = sums();
      const hit = new Uint8Array(stacks.prefix.length);
      let weight = 0;
      for (let at = 0; at < hit.length; at++) {
        const prefix = stacks.prefix[at];
        hit[at] = matches[frames.function[stacks.frame[at]]] | (prefix < 0 ? 0 : hit[prefix]);
        if (hit[at]) weight += weights[at];
      }
      const count = matches.reduce((sum, one) => sum + one, 0);
      text = `${numbers.format(count)} function${count === 1 ? "" : "s"}, ${
        moment && data.words.one === "thread" ? amountOf(weight) : share(weight, total)
      }`;
    }
    byId("found").textContent = text;
    if (text !== "") say(text);
  }
  const amountOf = (count) => `${count} ${count === 1 ? data.words.one : data.words.many}`;
  const Words = data.words.many[0].toUpperCase() + data.words.many.slice(1);
  const isMatch = (of) => matches !== null && matches[of] === 1;

  /** A function's name with what was searched for marked. */
  function marked(text) {
    const wanted = state.query.trim().toLowerCase();
    const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
    if (at < 0) return [text];
    const rest = at + wanted.length;
    return [text.slice(0, at), make("mark", {}, text.slice(at, rest)), text.slice(rest)];
  }

  // Sums and trees, computed once for each selection

  let memo = {};
  function once(key, compute) {
    return key in memo ? memo[key] : memo[key] = compute();
  }

  /** The weight of each stack as a sample's own. */
  function sums() {
    return once("sums", () => {
      const weights = new Float64Array(stacks.prefix.length);
      let total = 0;
      for (const { samples: { stack, time, weight, length } } of selected()) {
        for (let row = 0; row < length; row++) {
          if (time[row] < state.from || time[row] >= state.to || stack[row] < 0) continue;
          weights[stack[row]] += weight[row];
          total += weight[row];
        }
      }
      return { weights, total };
    });
  }

  /** The call tree from outside in. Node 0 is above all roots. */
  function topDown() {
    return once("topDown", () => {
      const { weights } = sums();
      const count = stacks.prefix.length;
      const used = new Uint8Array(count);
      for (let at = count - 1; at >= 0; at--) {
        if (weights[at] !== 0) used[at] = 1;
        if (used[at] && stacks.prefix[at] >= 0) used[stacks.prefix[at]] = 1;
      }
      const nodes = [{ of: -1, frame: undefined, parent: null, self: 0, total: 0, depth: -1 }];
      const index = new Map();
      const nodeOf = new Int32Array(count);
      for (let at = 0; at < count; at++) {
        if (!used[at]) continue;
        const prefix = stacks.prefix[at];
        const parent = prefix < 0 ? 0 : nodeOf[prefix];
        const frame = stacks.frame[at];
        const of = frames.function[frame];
        const key = parent * functions.name.length + of;
        let node = index.get(key);
        if (node === undefined) {
          node = nodes.length;
          index.set(key, node);
          const above = nodes[parent];
          nodes.push({ of, frame, parent: above, self: 0, total: 0, depth: above.depth + 1 });
        }
        nodeOf[at] = node;
        nodes[node].self += weights[at];
        nodes[node].total += weights[at];
      }
      for (let at = nodes.length - 1; at > 0; at--) {
        const node = nodes[at];
        node.parent.total += node.total;
        (node.parent.list ??= []).push(node);
      }
      let deepest = 0;
      for (const node of nodes) {
        node.list?.sort((one, other) => other.total - one.total || one.of - other.of);
        deepest = Math.max(deepest, node.depth + 1);
      }
      return { root: nodes[0], deepest, children: (node) => node.list ?? [] };
    });
  }

  /** The call tree from inside out; children are computed when they are asked for. */
  function bottomUp() {
    return once("bottomUp", () => {
      const { weights, total } = sums();
      const items = [];
      weights.forEach((weight, at) => weight !== 0 && items.push([at, weight]));
      const root = { of: -1, parent: null, self: 0, total, depth: -1, items };
      const children = (node) =>
        node.list ??= (() => {
          const groups = new Map();
          for (const [at, weight] of node.items) {
            if (at < 0) continue;
            const frame = stacks.frame[at];
            const of = frames.function[frame];
            let group = groups.get(of);
            if (group === undefined) {
              group = { of, frame, parent: node, self: 0, total: 0, depth: node.depth + 1 };
              group.items = [];
              groups.set(of, group);
            }
            group.total += weight;
            if (node === root) group.self += weight;
            group.items.push([stacks.prefix[at], weight]);
          }
          node.items = [];
          return [...groups.values()].sort((one, other) => other.total - one.total);
        })();
      return { root, children };
    });
  }

  // What is known about a function, at the right

  function about() {
    aside.replaceChildren(
      make("h2", {}, data.title),
      facts(data.facts),
      ...data.notes.length === 0 ? [] : [
        make("h3", {}, "Notes"),
        make("ul", { class: "notes" }, ...data.notes.map((note) => make("li", {}, note))),
      ],
    );
  }
  function facts(rows) {
    return make(
      "dl",
      {},
      ...rows.filter(([, value]) => value !== "").flatMap(([name, value]) => [
        make("dt", {}, name),
        make("dd", {}, value),
      ]),
    );
  }
  function describe(of, frame, extra = [], locals = []) {
    const address = frame === undefined ? -1 : frames.address?.[frame] ?? -1;
    aside.replaceChildren(
      make("h2", {}, nameOf(of)),
      facts([
        ...extra,
        ["Image", imageOf(of)],
        ["Source", placeOf(frame, true)],
        ["Address", address < 0 ? "" : strings[address]],
        ["Inlined", frame !== undefined && frames.inlined[frame] ? "yes" : ""],
      ]),
      ...locals.length === 0 ? [] : [make("h3", {}, "Locals"), localsOf(locals)],
    );
    say([nameOf(of), ...extra.map((row) => row.join(" "))].join(", "));
  }
  function localsOf(list) {
    return make(
      "div",
      { class: "locals mono" },
      ...list.map(([depth, name, type, value, absent]) => {
        const row = make(
          "div",
          {},
          name,
          make("span", { class: "type" }, ` ${type}`),
          value === "" ? "" : " = ",
          absent ? make("span", { class: "absent" }, value) : value,
        );
        row.style.marginLeft = `${depth * 16}px`;
        return row;
      }),
    );
  }

  // Views. Each has an element, and draws itself when it is shown or what it shows has changed

  const views = {};
  function addView(name, title, view) {
    const element = make("div", {
      class: "view",
      role: "tabpanel",
      id: `view-${name}`,
      "aria-labelledby": `tab-${name}`,
      tabindex: "-1",
      hidden: true,
    });
    main.append(element);
    const tab = make("button", {
      role: "tab",
      id: `tab-${name}`,
      "aria-controls": `view-${name}`,
      "aria-selected": "false",
      tabindex: "-1",
      onclick: () => show(name),
    }, title);
    byId("tabs").append(tab);
    views[name] = { element, tab, title, drawn: null, ...view(element) };
  }
  let version = 0;
  function show(name) {
    state.tab = name;
    for (const [other, { element, tab }] of Object.entries(views)) {
      element.hidden = other !== name;
      tab.setAttribute("aria-selected", `${other === name}`);
      tab.tabIndex = other === name ? 0 : -1;
    }
    draw();
  }
  function draw() {
    const view = views[state.tab];
    if (view.drawn !== version) {
      view.drawn = version;
      view.draw();
    }
  }
  /** Draws again what is shown, after the selection, the search or the colours have changed. */
  function changed(what) {
    if (what === "selection") {
      memo = {};
      search(state.query);
    }
    version++;
    const isPart = state.from > -Infinity || state.to < Infinity;
    byId("range").hidden = !isPart;
    byId("range-text").textContent = isPart
      ? `${clock(Math.max(0, state.from))} to ${clock(Math.min(end, state.to))}`
      : "";
    draw();
  }

  // Parallel stacks

  addView("parallel", "Parallel stacks", (element) => {
    const bar = make("div", { class: "bar" });
    const own = make("input", {
      type: "checkbox",
      onchange: () => {
        state.own = own.checked;
        changed();
      },
    });
    bar.append(make("label", {}, own, "Only the program’s own functions"));
    const when = make("span", {});
    const slider = make("input", {
      type: "range",
      min: "0",
      max: `${end}`,
      step: "any",
      "aria-label": "Time of the stacks",
      oninput: () => {
        state.at = Number(slider.value);
        changed();
      },
    });
    if (!moment && data.timed) bar.append(make("label", {}, "At", slider, when));
    const place = make("div", {});
    element.append(bar, place);

    /** A thread's stack at the moment that is shown; -1 for none. */
    function stackOf({ samples: { stack, time, length } }) {
      if (moment || !data.timed) return length > 0 ? stack[moment ? 0 : length - 1] : -1;
      let [low, high] = [0, length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (time[middle] <= state.at) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? -1 : stack[low - 1];
    }
    /** The functions of all threads as a tree, then runs of nodes with the same threads as one box. */
    function boxes() {
      const root = { kids: new Map(), frames: [], threads: [] };
      for (const [index, thread] of threads.entries()) {
        if (state.thread >= 0 && index !== state.thread) continue;
        const line = [];
        for (let at = stackOf(thread); at >= 0; at = stacks.prefix[at]) {
          const frame = stacks.frame[at];
          if (!state.own || !isSystem(frames.function[frame])) line.push(frame);
        }
        if (line.length === 0) continue;
        let node = root;
        node.threads.push(index);
        for (const [depth, frame] of line.reverse().entries()) {
          const of = frames.function[frame];
          let kid = node.kids.get(of);
          if (kid === undefined) {
            kid = { of, kids: new Map(), threads: [], frame, places: new Set(), depths: [] };
            node.kids.set(of, kid);
          }
          kid.threads.push(index);
          kid.places.add(placeOf(frame));
          kid.depths.push(line.length - 1 - depth);
          node = kid;
        }
      }
      return joined(root);
    }
    function joined(node) {
      return [...node.kids.values()].map((first) => {
        const run = [first];
        let last = first;
        while (last.kids.size === 1) {
          const [next] = last.kids.values();
          if (next.threads.length !== last.threads.length) break;
          run.push(next);
          last = next;
        }
        return { threads: first.threads, run, kids: joined(last) };
      }).sort((one, other) => rank(one) - rank(other));
    }
    /** The thread that crashed or hung first, then by number: the main thread is the first one. */
    const rank = ({ threads: of }) => of.some((index) => threads[index].mark !== "") ? -1 : of[0];
    const open = new Set();
    function boxOf({ threads: of, run, kids }) {
      const list = make("ol", { class: "frames" });
      const button = (node) => {
        const system = isSystem(node.of);
        const [place] = node.places;
        return make(
          "button",
          {
            class: `frame${system ? " system" : ""}${
              matches !== null && !isMatch(node.of) ? " dim" : ""
            }`,
            title: nameOf(node.of),
            onclick: (event) => {
              for (const other of element.querySelectorAll("[aria-current]")) {
                other.removeAttribute("aria-current");
              }
              event.currentTarget.setAttribute("aria-current", "true");
              const single = node.threads.length === 1 ? threads[node.threads[0]] : undefined;
              describe(
                node.of,
                node.places.size === 1 ? node.frame : undefined,
                [[Words, node.threads.map((index) => threads[index].name).join(", ")]],
                state.own ? [] : single?.locals?.[node.depths[0]] ?? [],
              );
            },
          },
          make("span", { class: "name" }, ...marked(nameOf(node.of))),
          make("span", { class: "place" }, node.places.size > 1 ? "…" : place),
        );
      };
      // Runs of the system's functions, and recursion, are folded, unless they were searched for.
      const fold = (at, text) => {
        const key = `${of.join()}/${at}`;
        if (open.has(key)) return false;
        const unfold = () => {
          open.add(key);
          changed();
        };
        list.append(make(
          "li",
          {},
          make("button", { class: "frame fold", "aria-expanded": "false", onclick: unfold }, text),
        ));
        return true;
      };
      for (let at = 0; at < run.length;) {
        let to = at;
        while (to < run.length && isSystem(run[to].of) && !isMatch(run[to].of)) to++;
        if (to - at > 2 && fold(at, `${to - at} functions of the system`)) {
          at = to;
          continue;
        }
        // Recursion, also through several functions.
        let [period, times] = [1, 1];
        for (let length = 1; length <= 4 && times < 4; length++) {
          let end = at + length;
          while (end < run.length && run[end].of === run[end - length].of) end++;
          times = Math.floor((end - at) / length);
          period = length;
        }
        if (times < 4) [period, times] = [1, 1];
        to = at + period;
        while (at < to) list.append(make("li", {}, button(run[at++])));
        const rest = at + period * (times - 1);
        if (times > 1 && fold(at, `⋮ again, ${times - 1} times`)) at = rest;
        else while (at < rest) list.append(make("li", {}, button(run[at++])));
      }
      const shown = of.slice(0, 3).map((index) => threads[index].name).join(", ");
      const isMarked = of.some((index) => threads[index].mark !== "");
      const single = of.length === 1 ? threads[of[0]] : null;
      const box = make(
        "div",
        { class: `box${isMarked ? " marked" : ""}` },
        make(
          "header",
          {},
          single === null ? amountOf(of.length) : single.name,
          single === null
            ? make(
              "span",
              { class: "names" },
              shown + (of.length > 3 ? ` and ${of.length - 3} more` : ""),
            )
            : null,
          single === null ? null : chip(single),
        ),
        list,
      );
      return make(
        "li",
        {},
        box,
        kids.length === 0 ? null : make("ul", {}, ...kids.map(boxOf)),
      );
    }
    return {
      draw() {
        when.textContent = clock(state.at);
        slider.value = `${state.at}`;
        const found = boxes();
        place.replaceChildren(
          found.length === 0
            ? make("div", { class: "empty" }, `No ${data.words.one} has a stack here.`)
            : make(
              "ul",
              { class: "tree", "aria-label": "Stacks" },
              ...found.map(boxOf),
            ),
        );
      },
    };
  });

  function chip(thread) {
    const { state: text, mark } = thread;
    if (mark !== "") return make("span", { class: "state marked" }, mark);
    if (text === "") return null;
    const kind = /^run/.test(text)
      ? " running"
      : /wait|stop|block|halt/.test(text)
      ? " waiting"
      : "";
    return make("span", { class: `state${kind}` }, text);
  }

  // All threads

  addView("threads", Words, (element) => ({
    draw() {
      element.replaceChildren(moment ? stackList() : weightList());
    },
  }));

  /** Every thread with its whole stack, innermost function first. */
  function stackList(all = false) {
    const sections = threads.map((thread, index) => {
      if (!all && state.thread >= 0 && index !== state.thread) return null;
      const rows = [];
      let found = matches === null || all;
      for (let at = thread.samples.stack[0] ?? -1, depth = 0; at >= 0; depth++) {
        const frame = stacks.frame[at];
        const of = frames.function[frame];
        at = stacks.prefix[at];
        found ||= isMatch(of);
        const locals = thread.locals?.[depth] ?? [];
        rows.push(make(
          "tr",
          { class: isSystem(of) ? "system" : "" },
          make("td", {}, `${depth}`),
          make(
            "td",
            {},
            ...marked(nameOf(of)),
            locals.length === 0 ? null : localsOf(locals),
          ),
          make("td", {}, placeOf(frame)),
          make("td", {}, imageOf(of)),
        ));
      }
      if (!found) return null;
      return make(
        "section",
        { "aria-label": thread.name },
        make(
          "header",
          {},
          thread.name,
          chip(thread),
          make("span", { class: "names" }, thread.about),
        ),
        rows.length === 0
          ? make("div", { class: "bar" }, "No stack.")
          : make("table", { class: "stack" }, make("tbody", {}, ...rows)),
        thread.ended === "" ? null : make("div", { class: "bar" }, thread.ended),
      );
    }).filter((section) => section !== null);
    return make(
      "div",
      { class: "threads" },
      ...sections.length === 0
        ? [make("div", { class: "empty" }, `No ${data.words.one} has what is searched for.`)]
        : sections,
    );
  }

  /** The threads of a profile, the heaviest first; a click chooses one. */
  function weightList() {
    const rows = threads.map((thread, index) => {
      const { samples: { time, weight, state: states, length } } = thread;
      let [total, running] = [0, 0];
      for (let row = 0; row < length; row++) {
        if (time[row] < state.from || time[row] >= state.to) continue;
        total += weight[row];
        if (states[row] === 1) running += weight[row];
      }
      return { thread, index, total, running };
    }).sort((one, other) => other.running - one.running || other.total - one.total);
    const most = rows.reduce((sum, { total }) => Math.max(sum, total), 0);
    const body = rows.map(({ thread, index, total, running }) => {
      const bar = make("span", { class: "load" }, make("span", {}));
      bar.style.width = `${most > 0 ? 100 * total / most : 0}%`;
      bar.firstChild.style.width = `${total > 0 ? 100 * running / total : 0}%`;
      return make(
        "tr",
        {},
        make(
          "td",
          {},
          make("button", {
            onclick: () => choose(index === state.thread ? -1 : index),
            "aria-pressed": `${index === state.thread}`,
          }, thread.name),
        ),
        make("td", {}, thread.about),
        make("td", {}, amount(total)),
        make("td", {}, data.states ? share(running, total) : ""),
        make("td", {}, bar),
      );
    });
    const heads = ["Thread", "", data.words.weight];
    if (data.states) heads.push("Running", "");
    return make(
      "table",
      { class: "loads" },
      make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", {}, text)))),
      make("tbody", {}, ...body),
    );
  }

  // Flame graph

  const ROW = 20;
  /** A canvas that stays in place while its element scrolls. */
  function canvasIn(element, label) {
    const scroller = make("div", { class: "canvas" });
    scroller.style.cssText = "position:absolute;inset:0";
    const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": label });
    const space = make("div", {});
    scroller.append(canvas, space);
    element.append(scroller);
    const context = canvas.getContext("2d");
    return {
      scroller,
      canvas,
      context,
      /** Prepares to draw; returns the size of what is seen. */
      begin(height) {
        const width = scroller.clientWidth;
        const seen = scroller.clientHeight;
        const ratio = devicePixelRatio || 1;
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(seen * ratio);
        canvas.style.width = `${width}px`;
        canvas.style.height = `${seen}px`;
        space.style.height = `${Math.max(0, height - seen)}px`;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, seen);
        return { width, height: seen, top: scroller.scrollTop };
      },
    };
  }
  const probe = make("span", { hidden: true });
  document.body.append(probe);
  let colours = {};
  function colour(name) {
    return colours[name] ??= (() => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    })();
  }
  const monospace = "12px ui-monospace, Menlo, 'DejaVu Sans Mono', monospace";

  const tip = make("div", { class: "tip", hidden: true });
  document.body.append(tip);
  function showTip(event, title, ...lines) {
    tip.replaceChildren(make("b", {}, title), ...lines.map((line) => make("div", {}, line)));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${
      event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18
    }px`;
  }
  const hideTip = () => tip.hidden = true;

  addView("flame", "Flame graph", (element) => {
    const sheet = canvasIn(element, "Flame graph. Arrow keys go from function to function.");
    let zoom = null;
    let focus = null;
    let bars = [];
    const rootOf = () => zoom ?? topDown().root;
    const widthOf = () => sheet.scroller.clientWidth;

    function draw() {
      const { root, deepest } = topDown();
      if (zoom !== null && !isBelow(zoom, root)) zoom = null;
      if (focus !== null && !isBelow(focus, root)) focus = null;
      const { width, height, top } = sheet.begin((deepest + 1) * ROW + 8);
      const { context } = sheet;
      bars = [];
      if (root.total === 0) {
        context.fillStyle = colour("muted");
        context.font = "13px system-ui, sans-serif";
        context.fillText("No samples here.", 16, 32);
        return;
      }
      const path = [];
      for (let node = zoom; node !== null && node !== undefined; node = node.parent) {
        path.unshift(node);
      }
      // What is around the zoomed function stands above it, over the whole width.
      const base = zoom ?? root;
      if (zoom === null) path.unshift(root);
      path.forEach((node, depth) => bar(node, 0, width, depth, node !== base));
      place(base, 0, width, path.length);
      context.font = monospace;
      context.textBaseline = "middle";

      function place(node, left, size, depth) {
        if (depth * ROW - top > height) return;
        let at = left;
        for (const kid of topDown().children(node)) {
          const part = size * kid.total / node.total;
          // Children come by weight: the rest is smaller still.
          if (part < 0.7) break;
          bar(kid, at, part, depth, false);
          place(kid, at, part, depth + 1);
          at += part;
        }
      }
      function bar(node, left, size, depth, isAround) {
        const y = depth * ROW - top + 4;
        if (y > height || y + ROW < 0) return;
        bars.push({ node, left, size, y });
        const hit = node.of >= 0 && isMatch(node.of);
        context.globalAlpha = isAround || matches !== null && !hit ? 0.45 : 1;
        context.fillStyle = hit ? colour("match") : fill(node);
        context.fillRect(left, y, Math.max(size - 1, 0.7), ROW - 1);
        context.globalAlpha = 1;
        if (node === focus) {
          context.strokeStyle = colour("text");
          context.lineWidth = 2;
          context.strokeRect(left + 1, y + 1, Math.max(size - 3, 1), ROW - 3);
        }
        if (size < 28) return;
        context.fillStyle = colour("bar-text");
        context.font = monospace;
        context.textBaseline = "middle";
        context.fillText(fitted(label(node), size - 10), left + 5, y + ROW / 2);
      }
      function fitted(text, room) {
        const most = Math.floor(room / 7.23);
        return text.length <= most ? text : most < 3 ? "" : `${text.slice(0, most - 1)}…`;
      }
    }
    const label = (node) =>
      node.of >= 0
        ? nameOf(node.of)
        : state.thread < 0
        ? moment ? amountOf(threads.length) : "All threads"
        : threads[state.thread].name;
    function fill(node) {
      if (node.of < 0) return colour("system");
      const image = functions.image[node.of];
      return isSystem(node.of)
        ? colour(image % 2 ? "system" : "system-2")
        : colour(["own", "own-2", "own-3"][node.of % 3]);
    }
    function isBelow(node, root) {
      for (let at = node; at !== null; at = at.parent) if (at === root) return true;
      return false;
    }
    function barAt({ clientX, clientY }) {
      const box = sheet.canvas.getBoundingClientRect();
      const [x, y] = [clientX - box.left, clientY - box.top];
      return bars.find((bar) =>
        x >= bar.left && x < bar.left + bar.size && y >= bar.y && y < bar.y + ROW
      );
    }
    function extra(node) {
      const { total } = sums();
      return [
        ["Total", `${amount(node.total)}, ${share(node.total, total)}`],
        ["Self", `${amount(node.self)}, ${share(node.self, total)}`],
      ];
    }
    function select(node) {
      focus = node;
      if (node.of >= 0) describe(node.of, node.frame, extra(node));
      else about();
      draw();
    }
    function zoomTo(node) {
      zoom = node === null || node.of < 0 ? null : node;
      sheet.scroller.scrollTop = 0;
      draw();
    }
    sheet.scroller.addEventListener("scroll", draw);
    sheet.canvas.addEventListener("mousemove", (event) => {
      const bar = barAt(event);
      sheet.canvas.style.cursor = bar === undefined ? "" : "pointer";
      if (bar === undefined) hideTip();
      else {
        showTip(
          event,
          label(bar.node),
          ...extra(bar.node).map((row) => row.join(": ")),
          ...bar.node.of < 0 ? [] : [imageOf(bar.node.of), placeOf(bar.node.frame)],
        );
      }
    });
    sheet.canvas.addEventListener("mouseleave", hideTip);
    sheet.canvas.addEventListener("click", (event) => {
      const bar = barAt(event);
      if (bar === undefined) return;
      select(bar.node);
      zoomTo(bar.node);
    });
    sheet.canvas.addEventListener("keydown", (event) => {
      const tree = topDown();
      const node = focus ?? rootOf();
      const beside = node.parent === null ? [node] : tree.children(node.parent);
      const at = beside.indexOf(node);
      const next = {
        ArrowDown: () => tree.children(node)[0],
        ArrowUp: () => node.parent ?? undefined,
        ArrowRight: () => beside[at + 1],
        ArrowLeft: () => beside[at - 1],
        Home: () => tree.root,
      }[event.key]?.();
      if (event.key === "Enter") zoomTo(node);
      else if (event.key === "Escape" && zoom !== null) zoomTo(null);
      else if (event.key.startsWith("Arrow") || event.key === "Home") {
        if (next !== undefined) {
          if (zoom !== null && !isBelow(next, zoom)) zoom = next.of < 0 ? null : next;
          select(next);
          const y = (next.depth + 1) * ROW;
          const { scrollTop, clientHeight } = sheet.scroller;
          if (y < scrollTop || y + 2 * ROW > scrollTop + clientHeight) {
            sheet.scroller.scrollTop = y - clientHeight / 2;
          }
        }
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return {
      draw,
      barFor: (name) => {
        const bar = bars.find(({ node }) => label(node) === name);
        return bar === undefined ? null : [bar.left + Math.min(bar.size, widthOf()) / 2, bar.y + 8];
      },
    };
  });

  // Tables

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
          title.style.paddingLeft = `${Math.min(node.depth, 40) * 14}px`;
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

  // Timeline

  if (data.timed || data.timeline !== undefined) {
    addView("timeline", "Timeline", (element) => {
      const LINE = 26;
      const AXIS = 26;
      const LABEL = 190;
      const sheet = canvasIn(
        element,
        "Threads over time." + (moment ? "" : " Drag to choose a time."),
      );
      const cursor = make("div", { class: "cursor", hidden: true });
      const span = make("div", { class: "span", hidden: true });
      element.append(
        cursor,
        span,
        make(
          "div",
          { class: "legend" },
          ...["running", "waiting", "unknown"].map((name) =>
            make("span", { class: `state ${name}` }, name === "unknown" ? "not known" : name)
          ),
        ),
      );
      element.lastChild.style.position = "absolute";
      element.lastChild.style.width = "100%";
      const room = () => Math.max(10, sheet.scroller.clientWidth - LABEL - 12);
      const xOf = (time) => LABEL + room() * time / end;
      const timeOf = (x) => Math.max(0, Math.min(end, (x - LABEL) / room() * end));

      function draw() {
        const { width, height, top } = sheet.begin(AXIS + lanes.length * LINE + 44);
        const { context } = sheet;
        context.font = "12px system-ui, sans-serif";
        context.textBaseline = "middle";
        const step = niceStep(end / (room() / 110));
        context.fillStyle = colour("line");
        for (let time = 0; time <= end; time += step) {
          context.fillRect(Math.round(xOf(time)), AXIS - 5, 1, height);
        }
        const fills = [colour("unknown"), colour("running"), colour("waiting")];
        for (const [index, thread] of lanes.entries()) {
          const y = AXIS + index * LINE - top;
          if (y + LINE < AXIS || y > height) continue;
          if (!moment && index === state.thread) {
            context.fillStyle = colour("select");
            context.fillRect(0, y, width, LINE);
          }
          context.fillStyle = colour("text");
          context.save();
          context.beginPath();
          context.rect(0, y, LABEL - 10, LINE);
          context.clip();
          context.fillText(thread.name, 16, y + LINE / 2);
          context.restore();
          const { time, state: states, stack, weight, length } = thread.samples;
          // A recorded wait is two samples: when it began, and when it was last seen, with the weight of all
          // but the first.
          const endsWait = (row) =>
            row > 0 && row < length && states[row] === 2 && states[row - 1] === 2 &&
            stack[row] === stack[row - 1] &&
            time[row] - time[row - 1] <= 2 * (weight[row] + 1) * data.interval;
          // Samples of one state that follow each other are one bar, on whole pixels.
          let [begun, last, kind] = [-1, -1, -1];
          const bar = () => {
            if (kind < 0) return;
            const part = [12, 18, 8][kind];
            const left = Math.floor(begun);
            context.fillStyle = fills[kind];
            context.fillRect(
              left,
              y + (LINE - part) / 2,
              Math.max(1, Math.round(last) - left),
              part,
            );
          };
          for (let row = 0; row < length; row++) {
            if (stack[row] < 0 && states[row] === 0) continue;
            const left = xOf(time[row]);
            const next = row + 1 < length ? time[row + 1] : time[row] + data.interval;
            if (states[row] !== kind || left > last + 0.5) {
              bar();
              begun = left;
              kind = states[row];
            }
            // A gap longer than a few samples is one in which there were none.
            last = xOf(endsWait(row + 1) ? next : Math.min(next, time[row] + data.interval * 4));
          }
          bar();
        }
        context.fillStyle = colour("back");
        context.fillRect(0, 0, width, AXIS);
        context.fillStyle = colour("muted");
        for (let time = 0; time <= end; time += step) {
          context.fillText(clock(time), Math.round(xOf(time)) + 4, 13);
        }
        span.hidden = state.from === -Infinity;
        if (!span.hidden) mark(state.from, state.to);
      }
      function niceStep(least) {
        const power = 10 ** Math.floor(Math.log10(least));
        return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
      }
      function mark(from, to) {
        const left = xOf(Math.max(0, from));
        span.style.left = `${left}px`;
        span.style.width = `${xOf(Math.min(end, to)) - left}px`;
        span.style.height = `${sheet.scroller.clientHeight}px`;
        span.hidden = false;
      }
      const rowAt = (event) => {
        const y = event.clientY - sheet.canvas.getBoundingClientRect().top;
        return y < AXIS ? -1 : Math.floor((y - AXIS + sheet.scroller.scrollTop) / LINE);
      };
      const timeAt = (event) => timeOf(event.clientX - sheet.canvas.getBoundingClientRect().left);
      /** The row of a thread's sample at a time; -1 before the first. */
      function sampleAt({ samples: { time, length } }, at) {
        let [low, high] = [0, length];
        while (low < high) {
          const middle = (low + high) >>> 1;
          if (time[middle] <= at) low = middle + 1;
          else high = middle;
        }
        return low - 1;
      }
      function look(index, at) {
        const thread = lanes[index];
        const row = thread === undefined ? -1 : sampleAt(thread, at);
        const stack = row < 0 ? -1 : thread.samples.stack[row];
        if (stack < 0) return;
        const list = [];
        for (let of = stack; of >= 0; of = stacks.prefix[of]) list.push(stacks.frame[of]);
        aside.replaceChildren(
          make("h2", {}, thread.name),
          facts([["Time", clock(thread.samples.time[row])], [
            "State",
            ["", "running", "waiting"][thread.samples.state[row]],
          ]]),
          make("h3", {}, "Stack"),
          make(
            "ol",
            { class: "notes mono" },
            ...list.map((frame) =>
              make(
                "li",
                { class: isSystem(frames.function[frame]) ? "muted" : "" },
                nameOf(frames.function[frame]),
                make("span", { class: "muted" }, ` ${placeOf(frame)}`),
              )
            ),
          ),
        );
        say(`${thread.name}, ${nameOf(frames.function[list[0]])}`);
      }
      let began = null;
      sheet.canvas.addEventListener("pointerdown", (event) => {
        began = { time: timeAt(event), x: event.clientX };
        sheet.canvas.setPointerCapture(event.pointerId);
      });
      sheet.canvas.addEventListener("pointermove", (event) => {
        const box = sheet.canvas.getBoundingClientRect();
        const x = event.clientX - box.left;
        cursor.hidden = x < LABEL;
        cursor.style.left = `${x}px`;
        cursor.style.height = `${sheet.scroller.clientHeight}px`;
        if (began !== null && !moment && Math.abs(event.clientX - began.x) > 4) {
          const now = timeAt(event);
          mark(Math.min(began.time, now), Math.max(began.time, now));
        }
        const thread = lanes[rowAt(event)];
        const row = thread === undefined || x < LABEL ? -1 : sampleAt(thread, timeAt(event));
        const stack = row < 0 ? -1 : thread.samples.stack[row];
        if (stack < 0) hideTip();
        else {showTip(
            event,
            nameOf(frames.function[stacks.frame[stack]]),
            thread.name,
            clock(timeAt(event)),
          );}
      });
      sheet.canvas.addEventListener("pointerleave", () => {
        cursor.hidden = true;
        hideTip();
      });
      sheet.canvas.addEventListener("pointerup", (event) => {
        if (began === null) return;
        const now = timeAt(event);
        const isDrag = !moment && Math.abs(event.clientX - began.x) > 4;
        const from = Math.min(began.time, now);
        const to = Math.max(began.time, now);
        began = null;
        if (isDrag) setRange(from, to);
        else {
          state.at = now;
          current = rowAt(event);
          look(current, now);
        }
      });
      let current = 0;
      sheet.canvas.addEventListener("keydown", (event) => {
        const thread = lanes[current];
        if (thread === undefined) current = 0;
        else if (event.key === "ArrowDown") current = Math.min(lanes.length - 1, current + 1);
        else if (event.key === "ArrowUp") current = Math.max(0, current - 1);
        else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
          const { time, length } = thread.samples;
          const to = sampleAt(thread, state.at) + (event.key === "ArrowRight" ? 1 : -1);
          state.at = time[Math.max(0, Math.min(length - 1, to))] ?? 0;
          cursor.hidden = false;
          cursor.style.left = `${xOf(state.at)}px`;
          cursor.style.height = `${sheet.scroller.clientHeight}px`;
        } else if (event.key === "Enter" && !moment) return choose(current);
        else return;
        event.preventDefault();
        event.stopPropagation();
        look(current, state.at);
      });
      sheet.scroller.addEventListener("scroll", draw);
      return { draw };
    });
  }

  function setRange(from, to) {
    state.from = from;
    state.to = to;
    changed("selection");
  }
  function choose(index) {
    state.thread = index;
    byId("thread").value = `${index}`;
    changed("selection");
  }

  // The frame around the views

  document.title = `${data.title} – machpause`;
  byId("title").textContent = data.title;
  byId("subtitle").textContent = data.subtitle;
  // A text of a profile comes first in what is known about its views, a list of threads in a pause.
  const order = data.words.one !== "thread"
    ? ["threads", "parallel", "flame", "topdown", "bottomup"]
    : moment
    ? ["parallel", "threads", "timeline", "flame", "topdown", "bottomup"]
    : ["flame", "topdown", "bottomup", "timeline", "threads", "parallel"];
  for (const name of order) if (views[name] !== undefined) byId("tabs").append(views[name].tab);
  const tabs = order.filter((name) => views[name] !== undefined);

  const picker = byId("thread");
  picker.append(make("option", { value: "-1" }, `All ${amountOf(threads.length)}`));
  for (const [index, { name }] of threads.entries()) {
    picker.append(make("option", { value: `${index}` }, name));
  }
  picker.addEventListener("change", () => choose(Number(picker.value)));
  const field = byId("search");
  let timer;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      search(field.value);
      changed();
    }, 80);
  });
  byId("whole").addEventListener("click", () => setRange(-Infinity, Infinity));
  const themes = ["auto", "light", "dark"];
  const root = document.documentElement;
  function setTheme(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    colours = {};
    try {
      localStorage.setItem("machpause-theme", theme);
    } catch {
      // Pages from the disk may have no storage.
    }
    version++;
    draw();
  }
  function nextTheme() {
    const now = themes.indexOf(root.dataset.theme ?? "auto");
    const theme = themes[(now + 1) % themes.length];
    setTheme(theme);
    say(`Colours: ${theme}`);
  }
  byId("theme").addEventListener("click", nextTheme);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("close").addEventListener("click", () => byId("keys").close());
  byId("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const name = tabs[(tabs.indexOf(state.tab) + step + tabs.length) % tabs.length];
    show(name);
    views[name].tab.focus();
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || byId("keys").open) return;
    const isTyping = event.target.matches?.("input:not([type=checkbox]), select");
    if (event.key === "Escape") {
      if (field.value !== "") {
        field.value = "";
        search("");
        changed();
      } else if (state.from > -Infinity) setRange(-Infinity, Infinity);
      else about();
      field.blur();
      return;
    }
    if (isTyping) return;
    const number = Number(event.key);
    if (event.key === "/") field.focus();
    else if (event.key === "?") byId("keys").showModal();
    else if (event.key === "t") nextTheme();
    else if (number >= 1 && number <= tabs.length) {
      show(tabs[number - 1]);
      views[tabs[number - 1]].element.querySelector("canvas, .grid")?.focus();
    } else return;
    event.preventDefault();
  });
  new ResizeObserver(() => {
    version++;
    draw();
  }).observe(main);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours = {};
    version++;
    draw();
  });

  // On paper: what a person would read, with nothing to click.
  addEventListener("beforeprint", () => {
    const parts = [facts(data.facts)];
    for (const note of data.notes) parts.push(make("p", {}, note));
    if (moment) parts.push(stackList(true));
    else {
      const { total } = sums();
      const rows = [...topDownLines(topDown().root, total)].map(([node, depth]) => {
        const name = make("td", {}, nameOf(node.of));
        name.style.paddingLeft = `${depth * 10}px`;
        return make(
          "tr",
          {},
          make("td", {}, share(node.total, total)),
          name,
          make("td", {}, placeOf(node.frame)),
          make("td", {}, imageOf(node.of)),
        );
      });
      parts.push(make("table", { class: "stack" }, make("tbody", {}, ...rows)));
    }
    byId("print").replaceChildren(...parts);
  });
  /** The functions with at least a hundredth of the weight. */
  function* topDownLines(node, total, depth = 0) {
    for (const kid of topDown().children(node)) {
      if (kid.total < total / 100) break;
      yield [kid, depth];
      yield* topDownLines(kid, total, depth + 1);
    }
  }

  // For tests: where something is in a canvas.
  globalThis.machpausePage = { barFor: (name) => views.flame.barFor(name), state, views };

  let stored = null;
  try {
    stored = localStorage.getItem("machpause-theme");
  } catch {
    // As above.
  }
  if (themes.includes(stored)) setTheme(stored);
  about();
  show(tabs[0]);
})();
