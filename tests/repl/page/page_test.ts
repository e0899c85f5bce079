/** The page of `machpause view -o`, in a real browser: by clicks, keys, and what the document then says. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { ProfileBuilder } from "../../../lib/profile/mod.ts";
import {
  type PageData,
  pageOfProfile,
  pageOfStacks,
  type StacksJson,
} from "../../../repl/page/data.ts";
import type { Hang } from "../../../lib/hang/mod.ts";
import { hangParts } from "../../../repl/page/hang.ts";
import { pageHtml } from "../../../repl/page/write.ts";
import { handlerFor } from "../../../lib/symbol_server/mod.ts";
import { speedscopePages, speedscopePath } from "../../../repl/cli/view/speedscope.ts";
import { hasBrowser, Page } from "../../browser.ts";

const plain = (name: string): string => name;

type Thread = StacksJson["threads"][number];

function thread(index: number, name: string, symbols: string, more: Partial<Thread> = {}): Thread {
  return {
    ...{ index, id: 100 + index, name, state: "waiting", queue: null, stopped: "null-record" },
    // Outermost first, as one reads it; `@` stands before the system's.
    frames: symbols.split(" ").reverse().map((text, at) => ({
      address: `0x${(0x1000 * (at + 1)).toString(16)}`,
      image: text.startsWith("@") ? "libsystem_kernel.dylib" : "App",
      symbol: text.replace("@", ""),
      offset: 4,
      file: text.startsWith("@") ? null : `/src/${text}.c`,
      line: text.startsWith("@") ? null : 7,
      inlined: false,
    })),
    ...more,
  };
}

function stacks(threads: readonly Thread[]): StacksJson {
  return {
    target: { kind: "live", pid: 12, name: "App", arch: "arm64" },
    images: [
      { name: "App", path: "/Applications/App", uuid: null, loadAddress: null },
      {
        name: "libsystem_kernel.dylib",
        path: "/usr/lib/system/libsystem_kernel.dylib",
        uuid: null,
        loadAddress: null,
      },
    ],
    threads,
  };
}

const variable = (name: string, value: unknown, children: unknown[] | null = null) => ({
  ...{ name, type: "int", value, summary: null, unavailable: null, later: false, children },
});

const recursion = Array.from({ length: 30 }, () => "descend").join(" ") + " up down".repeat(9);
const waiting = thread(1, "pool 1", "@start @thread_start worker wait @mach_msg");
const locals = [[], [variable("limit", 42), variable("point", null, [variable("x", 7)])]];
const pause = pageOfStacks(
  [stacks([
    thread(0, "main", "@start main run @mach_msg"),
    {
      ...waiting,
      frames: waiting.frames.map((frame, at) => ({
        ...frame,
        ...locals[at] === undefined ? {} : { variables: locals[at] as never },
      })),
    },
    thread(2, "pool 2", "@start @thread_start worker wait @mach_msg"),
    thread(3, "deep", `@start @thread_start worker ${recursion} leaf`, { state: "running" }),
    thread(4, "gone", "@start @thread_start worker abort", { crashed: true }),
  ])],
  { title: "App", subtitle: "pid 12 · arm64", facts: [["Pid", "12"]], notes: ["A note."] },
  plain,
);

/** Two threads, 100 ms: `busy` has 3 of 4 samples, and of those half are in `inner`. */
function profile(samples = 100): PageData {
  const builder = new ProfileBuilder({ interval: 1, product: "App" });
  const process = builder.process({ name: "App", pid: 12 });
  const image = builder.image({ name: "App", path: "/Applications/App" });
  const system = builder.image({ name: "libsystem.dylib", path: "/usr/lib/libsystem.dylib" });
  const frame = (name: string, line: number, of = image) =>
    builder.frame(builder.function(name, { image: of, file: `/src/${name}.c`, line }), { line });
  const main = builder.stack(-1, frame("main", 1));
  const busy = builder.stack(main, frame("busy", 2));
  const inner = builder.stack(busy, frame("inner", 3));
  const idle = builder.stack(main, frame("mach_msg", 4, system));
  const first = builder.thread({ process, id: 1n, name: "main", isMain: true });
  const second = builder.thread({ process, id: 2n, name: "worker" });
  for (let row = 0; row < samples; row++) {
    builder.sample(first, row % 2 === 0 ? busy : inner, row, { state: 1 });
    builder.sample(second, row < samples / 2 ? idle : busy, row, {
      state: row < samples / 2 ? 2 : 1,
    });
  }
  return pageOfProfile(builder.finish(), { title: "App profile" }, plain);
}

/** The main thread ran for 200 ms, and then waited for a lock for 800. */
const hang = {
  ...{ format: "machpause-hang", version: 1, serial: 1, severity: "hang", kind: "blocked" },
  ...{ began: "2026-11-22T09:15:03.120Z", milliseconds: 1000, atLeast: 980, atMost: 1020 },
  ...{ ended: "idle", limit: 250, period: 20, stoppedMicroseconds: 400, thread: 0 },
  ...stacks([thread(0, "main", "@start main lock"), thread(1, "pool", "@start worker")]),
  signature: { id: "0123456789abcdef", parts: ["hang", "App lock"] },
  looks: [
    { at: 0, looks: 10, running: true, cpu: 200, stack: 0 },
    { at: 200, looks: 40, running: false, cpu: 200, stack: 1 },
  ],
  stacks: [
    thread(0, "", "@start main work").frames,
    thread(0, "", "@start main lock").frames,
  ],
  waits: [{ thread: 0, for: 1, through: "pthread mutex" }],
  deadlocks: [],
} as unknown as Hang;

const folder = await Deno.makeTempDir();
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

async function open(page: Page, data: PageData): Promise<void> {
  const path = `${folder}/page.html`;
  await Deno.writeTextFile(path, pageHtml(data));
  await page.go(`file://${path}`);
}

Deno.test("threads of one name, as Linux gives it to all that have none, are told apart", () => {
  const builder = new ProfileBuilder({ interval: 1, product: "node" });
  const process = builder.process({ name: "node", pid: 12 });
  const stack = builder.stack(-1, builder.frame(builder.function("main", {}), {}));
  for (const [id, name] of [[14n, "node"], [12n, "node"], [13n, "worker"]] as const) {
    builder.sample(builder.thread({ process, id, name, isMain: id === 12n }), stack, 0, {});
  }
  const { threads } = pageOfProfile(builder.finish(), { title: "node" }, plain);
  assertEquals(threads.map(({ name }) => name), ["node (14)", "node (main)", "worker"]);
});

Deno.test("a null after the outermost caller is no function; alone it is", () => {
  const one = thread(0, "main", "start main");
  const nowhere = { ...one.frames[0], address: "0x0000000000000000", image: null, symbol: null };
  const { strings, functions } = pageOfStacks(
    [stacks([
      { ...one, frames: [...one.frames, nowhere] },
      { ...one, frames: [{ ...nowhere, address: "0x0" }] },
      { ...one, frames: [{ ...nowhere, address: "0x0" }, one.frames[1]] },
    ])],
    { title: "App" },
    plain,
  );
  assertEquals(functions.name.map((name) => strings[name]), ["start", "main", "0x0"]);
});

Deno.test("what was read after the stop is marked once, where it begins", () => {
  const member = { ...variable("x", 7), later: true };
  const one = thread(0, "main", "main");
  const [{ locals }] = pageOfStacks(
    [stacks([{
      ...one,
      frames: [{
        ...one.frames[0],
        variables: [{ ...variable("item", null, [member]), later: true }] as never,
      }],
    }])],
    { title: "App" },
    plain,
  ).threads;
  assertEquals(locals![0].map(([, name, , , , later]) => [name, later]), [["item", 1], ["x", 0]]);
});

Deno.test("of samples that are sums already, the page says how many there are", () => {
  const builder = new ProfileBuilder({ interval: 1, product: "App", aggregated: true });
  const main = builder.thread({ process: builder.process({ name: "App" }), name: "main" });
  const stack = builder.stack(-1, builder.frame(builder.function("main")));
  builder.sample(main, stack, 0, { weight: 1000 });
  const { facts } = pageOfProfile(builder.finish(), { title: "App" }, plain);
  assertEquals(facts.find(([name]) => name === "Samples"), ["Samples", "1000"]);
});

Deno.test("the page without its data is small; its data cannot leave its element", () => {
  const hostile = `</script><script>alert(1)</script><!-- \u2028 ]]> & "' \x1b[2J \u202e`;
  const html = pageHtml(pageOfStacks(
    [stacks([thread(0, hostile, "main", { queue: hostile })])],
    { title: hostile, facts: [[hostile, hostile]], notes: [hostile] },
    () => hostile,
  ));
  assertEquals(html.match(/<\/script>/g)?.length, 2);
  assertFalse(html.includes("<!--"));
  assertFalse(html.includes("\u2028"));
  const [, json] = /id="data">(.*?)<\/script>/s.exec(html)!;
  assertEquals(JSON.parse(json).threads.length, 1);
  assertMatch(html, /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  assert(html.length - json.length < 100_000, `${html.length - json.length} bytes`);
});

Deno.test({
  name: "the page in a browser",
  ignore: !hasBrowser,
  async fn(test) {
    await using page = await Page.open();
    const step = (name: string, fn: () => Promise<void>) =>
      test.step(name, async () => {
        await fn();
        assertEquals(page.errors, []);
      });

    await step("opens from disk, asks for nothing, and shows the threads as one tree", async () => {
      await open(page, pause);
      assertEquals(page.requests.filter((url) => !url.startsWith("file:")), []);
      assertEquals(page.requests.length, 1);
      assertEquals(await page.text("#title"), "App");
      assertEquals(
        await page.value(
          `[...document.querySelectorAll('[role=tab]')].map((tab) => tab.innerText)`,
        ),
        ["Parallel stacks", "Threads", "Flame graph", "Top-down", "Bottom-up"],
      );
      const boxes = await page.value(
        `[...document.querySelectorAll('.box')].map((box) => [
          box.querySelector('header').firstChild.textContent,
          [...box.querySelectorAll('.frame')].map((frame) => frame.firstChild.textContent).join(' '),
        ])`,
      );
      assertEquals(boxes, [
        ["5 threads", "start"],
        ["4 threads", "thread_start worker"],
        ["4 gone", "abort"],
        ["2 threads", "wait mach_msg"],
        ["3 deep", "descend ⋮ again, 29 times up down ⋮ again, 8 times leaf"],
        ["0 main", "main run mach_msg"],
      ]);
      assertEquals(await page.text(".box.marked .state"), "crashed");
    });

    await step(
      "a click on a function tells its place, and its variables where it is one thread's",
      async () => {
        const frame = (name: string) =>
          `[...document.querySelectorAll('.frame')].find((e) => e.innerText.startsWith('${name}'))`;
        await page.click(frame("wait"));
        assertStringIncludes(await page.text("aside"), "1 pool 1, 2 pool 2");
        assertStringIncludes(await page.text("aside"), "/src/wait.c:7");
        await page.click("#thread");
        await page.value(
          `(() => { const p = document.querySelector('#thread'); p.value = '1'; p.dispatchEvent(new Event('change')); })()`,
        );
        await page.click(frame("wait"));
        assertMatch(await page.text("aside .locals"), /limit int = 42\s+point int\s+x int = 7/);
        await page.click(`${frame("start")} ?? document.body`);
        assertEquals(await page.text("aside .locals"), "");
      },
    );

    await step(
      "a hang: the thread that hung is marked and first, and has its timeline",
      async () => {
        const { tasks, head, tracks } = hangParts(hang);
        await open(page, pageOfStacks(tasks, head, plain, { tracks }));
        assertEquals(await page.text(".state.marked"), "hung");
        assertStringIncludes(await page.text("#subtitle"), "main");
        assertStringIncludes(await page.text("aside"), "main waits for pool (pthread mutex)");
        await page.key("3");
        assertEquals(await page.value("machpausePage.state.tab"), "timeline");
        const [x, y, width] = await page.value(
          "(() => { const b = document.querySelector('#view-timeline canvas').getBoundingClientRect(); return [b.x, b.y, b.width]; })()",
        );
        await page.drag([x + 190 + (width - 202) * 0.9, y + 26 + 13]);
        assertMatch(await page.text("aside"), /State\s+waiting\s+Stack\s+lock/);
        await page.drag([x + 190 + (width - 202) * 0.1, y + 26 + 13]);
        assertMatch(await page.text("aside"), /State\s+running\s+Stack\s+work/);
      },
    );

    await step(
      "all stacks with their variables; a search leaves the threads that have it",
      async () => {
        await open(page, pause);
        await page.key("2");
        assertEquals(await page.text("#tab-threads"), "Threads");
        assertEquals(await page.value(`document.querySelectorAll('.threads section').length`), 5);
        assertStringIncludes(await page.text(".threads"), "limit int = 42");
        await page.key("/");
        await page.type("LEAF");
        await page.until(`document.querySelectorAll('.threads section').length === 1`);
        assertEquals(await page.text("mark"), "leaf");
        assertEquals(await page.text("#found"), "1 function, 1 thread");
        await page.key("Escape");
        await page.until(`document.querySelectorAll('.threads section').length === 5`);
      },
    );

    await step("flame graph: a click makes a function the width, Escape ends that", async () => {
      await open(page, profile());
      assertEquals(await page.value("machpausePage.state.tab"), "flame");
      const bar = async (name: string): Promise<[number, number] | null> => {
        const at = await page.value(`machpausePage.barFor('${name}')`);
        const [left, top] = await page.value(
          "(() => { const b = document.querySelector('canvas').getBoundingClientRect(); return [b.x, b.y]; })()",
        );
        return at === null ? null : [at[0] + left, at[1] + top];
      };
      await page.drag((await bar("inner"))!);
      const text = await page.text("aside");
      assertMatch(text, /^inner\s+Total\s+50, 25\.0 %\s+Self\s+50, 25\.0 %/);
      assertEquals(await bar("mach_msg"), null);
      await page.value("document.querySelector('canvas').focus()");
      await page.key("Escape");
      assert(await bar("mach_msg") !== null);
      await page.key("ArrowUp");
      assertMatch(await page.text("aside"), /^busy\s+Total\s+150, 75\.0 %\s+Self\s+100, 50\.0 %/);
      assertStringIncludes(await page.value("document.querySelector('#said').textContent"), "busy");
    });

    await step(
      "flame graph: what is too narrow to be drawn is one bar that says how much it is",
      async () => {
        const builder = new ProfileBuilder({ product: "App" });
        const thread = builder.thread({ process: builder.process({ name: "App" }), isMain: true });
        const main = builder.stack(-1, builder.frame(builder.function("main")));
        for (let leaf = 0; leaf < 5000; leaf++) {
          const frame = builder.frame(builder.function(`leaf${leaf}`));
          builder.sample(thread, builder.stack(main, frame), leaf, {
            weight: leaf === 0 ? 5000 : 1,
          });
        }
        await open(page, pageOfProfile(builder.finish(), { title: "App" }, plain));
        await page.click("#tab-flame");
        assert(await page.value("machpausePage.barFor('leaf0')") !== null);
        assertEquals(await page.value("machpausePage.barFor('leaf1')"), null);
        const [x, y] = await page.value("machpausePage.barFor('4,999 narrower calls')");
        const [left, top, width] = await page.value(
          "(() => { const b = document.querySelector('canvas').getBoundingClientRect(); return [b.x, b.y, b.width]; })()",
        );
        // In the middle of the half that they take.
        assert(Math.abs(x - 0.75 * width) < 3, `${x} of ${width}`);
        // It is no function to be selected.
        await page.drag([x + left, y + top]);
        assert(await page.value("machpausePage.barFor('leaf0')") !== null);
        await open(page, profile());
      },
    );

    await step("tables: sums, opened by keys, searched; inside out by callers", async () => {
      const rows = () =>
        page.value(
          `[...document.querySelectorAll('.view:not([hidden]) .rows .row')].map((row) =>
            [0, 1, 3].map((cell) => row.children[cell].innerText.replace(/^[▾▸]/, '').trim()).join(' '))`,
        );
      await page.click("#tab-topdown");
      assertEquals(await rows(), [
        "100.0 % 0.0 % main",
        "75.0 % 50.0 % busy",
        "25.0 % 25.0 % inner",
        "25.0 % 25.0 % mach_msg",
      ]);
      await page.value("document.querySelector('.view:not([hidden]) .grid').focus()");
      await page.key("ArrowDown");
      await page.key("ArrowLeft");
      assertEquals((await rows()).length, 3);
      assertMatch(await page.text("aside"), /^busy/);
      assertEquals(
        await page.value(
          `document.getElementById(document.querySelector('.view:not([hidden]) .grid').getAttribute('aria-activedescendant')).getAttribute('aria-expanded')`,
        ),
        "false",
      );
      await page.click("#tab-bottomup");
      assertEquals(await rows(), [
        "50.0 % 50.0 % busy",
        "25.0 % 25.0 % inner",
        "25.0 % 25.0 % mach_msg",
      ]);
      await page.click("document.querySelectorAll('#view-bottomup .row .twist')[1]");
      assertEquals((await rows())[2], "25.0 % 0.0 % busy");
    });

    await step("timeline: a click shows a stack, a drag chooses a time for all views", async () => {
      await page.click("#tab-timeline");
      const [x, y, width] = await page.value(
        "(() => { const b = document.querySelector('#view-timeline canvas').getBoundingClientRect(); return [b.x, b.y, b.width]; })()",
      );
      const at = (part: number) => x + 190 + (width - 202) * part;
      await page.drag([at(0.25), y + 26 + 13 + 26]);
      assertMatch(
        await page.text("aside"),
        /^worker\s+Time\s+25\.\d ms\s+State\s+waiting\s+Stack\s+mach_msg/,
      );
      await page.drag([at(0.5), y + 40], [at(0.7), y + 40], [at(1), y + 40]);
      assertMatch(await page.text("#range"), /^50\.\d ms to 100\.0 ms/);
      await page.click("#tab-topdown");
      assertFalse((await page.text("#view-topdown")).includes("mach_msg"));
      await page.click("#whole");
      assertStringIncludes(await page.text("#view-topdown"), "mach_msg");
    });

    await step("timeline: a recorded wait, which is two samples, is one bar", async () => {
      const builder = new ProfileBuilder({ interval: 1, product: "App" });
      const process = builder.process({ name: "App", pid: 12 });
      const lock = builder.stack(-1, builder.frame(builder.function("lock")));
      const main = builder.thread({ process, id: 1n, name: "main", isMain: true });
      builder.sample(main, lock, 0, { state: 2 });
      builder.sample(main, lock, 99, { state: 2, weight: 99 });
      builder.sample(main, lock, 300, { state: 2 });
      await open(page, pageOfProfile(builder.finish(), { title: "wait" }, plain));
      await page.click("#tab-timeline");
      const colours = await page.value(
        `(() => { const c = document.querySelector('#view-timeline canvas');
          const scale = c.width / c.clientWidth, width = c.clientWidth - 202;
          return [1, 50, 200].map((time) => c.getContext('2d').getImageData(
            (190 + width * time / 301) * scale, (26 + 13) * scale, 1, 1).data.join()); })()`,
      );
      assertEquals(colours[0], colours[1]);
      assert(colours[1] !== colours[2], `${colours}`);
      await open(page, profile());
    });

    await step("threads: one alone; parallel stacks at a time", async () => {
      await page.click("#tab-threads");
      await page.click(
        "[...document.querySelectorAll('.loads button')].find((e) => e.innerText === 'worker')",
      );
      await page.click("#tab-bottomup");
      assertStringIncludes(await page.text("#view-bottomup"), "50.0 %");
      assertFalse((await page.text("#view-bottomup")).includes("inner"));
      await open(page, profile());
      await page.click("#tab-parallel");
      await page.value(
        "(() => { const r = document.querySelector('input[type=range]'); r.value = 10; r.dispatchEvent(new Event('input')); })()",
      );
      assertEquals(
        await page.value(
          "[...document.querySelectorAll('.box header')].map((e) => e.firstChild.textContent)",
        ),
        ["2 threads", "main", "worker"],
      );
    });

    await step("names of any length leave room for the rest, and are whole on paper", async () => {
      const long = (name: string) =>
        `${name}<${"std::pair<int, char>, ".repeat(90)}>`.replaceAll(" ", "_");
      const names = Array.from({ length: 40 }, (_, depth) => `deep_${depth}`).join(" ");
      await open(
        page,
        pageOfStacks(
          [stacks([
            thread(0, long("name"), `main ${long("function")}`),
            thread(1, "deep", `main ${names}`),
            thread(2, "as deep", `main ${names}`),
          ])],
          { title: long("App") },
          plain,
        ),
      );
      const heights = (selector: string) =>
        page.value(`[...document.querySelectorAll('${selector}')].map((e) => e.offsetHeight)`);
      // Three lines have less than 70 pixels, and all of the text 600 and more.
      for (const height of await heights("h1, .box header, .box li")) {
        assert(height < 110, `${height}`);
      }
      await page.key("2");
      for (const height of await heights("section header, .stack tr")) {
        assert(height < 110, `${height}`);
      }
      assertEquals(
        await page.value("document.querySelector('.stack .clamped').title"),
        long("function"),
      );
      await page.click("#tab-topdown");
      const cells = await page.value(
        `[...document.querySelectorAll('#view-topdown .rows .row')].map(({ children: [, , , e] }) =>
          [e.clientWidth, parseFloat(getComputedStyle(e).paddingLeft)])`,
      );
      assert(cells.length > 20, `${cells.length} rows`);
      for (const [width, padding] of cells) assert(padding <= width / 2 + 1, `${cells}`);
      await page.value("dispatchEvent(new Event('beforeprint'))");
      await page.send("Emulation.setEmulatedMedia", { media: "print" });
      const [h1, name, symbol] = await heights("h1, #print section header, #print .stack td");
      for (const height of [h1, name, symbol]) assert(height > 150, `${[h1, name, symbol]}`);
      await page.send("Emulation.setEmulatedMedia", { media: "" });
    });

    await step("the program itself is no part of the system, wherever it is", async () => {
      const { images, ...rest } = stacks([thread(0, "main", "@start main")]);
      const [own, ...others] = images;
      const data = pageOfStacks(
        [{ ...rest, images: [{ ...own, path: "/usr/bin/App" }, ...others] }],
        { title: "App" },
        plain,
      );
      assertEquals(data.functions.system, [1, 0]);
      await open(page, data);
      assertEquals(await page.text(".frame.system .name"), "start");
    });

    await step("dark and light: by the system, and by the key t", async () => {
      const background = () => page.value("getComputedStyle(document.body).backgroundColor");
      await page.scheme("light");
      const light = await background();
      await page.scheme("dark");
      const dark = await background();
      assert(light !== dark);
      await page.key("t");
      assertEquals(await background(), light);
      await page.key("t");
      await page.scheme("light");
      assertEquals(await background(), dark);
      await page.key("t");
      assertEquals(await background(), light);
    });

    await step("text has a contrast of 4.5 or more, in both colours", async () => {
      for (const scheme of ["light", "dark"] as const) {
        await page.scheme(scheme);
        const pairs = await page.value(`(() => {
          const probe = document.body.appendChild(document.createElement('span'));
          const rgb = (name) => {
            probe.style.color = 'var(--' + name + ')';
            return getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
          };
          const light = (name) => {
            const [r, g, b] = rgb(name).map((value) => value / 255)
              .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const pairs = [];
          for (const text of ['text', 'muted'])
            for (const back of ['back', 'panel', 'raised', 'hover', 'select']) pairs.push([text, back]);
          for (const bar of ['own', 'own-2', 'own-3', 'system', 'system-2', 'match'])
            pairs.push(['bar-text', bar]);
          pairs.push(['crash', 'panel'], ['text', 'match']);
          const found = pairs.map(([text, back]) => {
            const [one, other] = [light(text), light(back)].sort((a, b) => b - a);
            return [text + ' on ' + back, (one + 0.05) / (other + 0.05)];
          });
          probe.remove();
          return found;
        })()`);
        for (const [name, ratio] of pairs) assert(ratio >= 4.5, `${scheme}: ${name} has ${ratio}`);
      }
    });

    await step("by the keyboard alone: Tab comes to each part once, arrows go inside", async () => {
      const focused = () =>
        page.value(
          `(() => { const e = document.activeElement; return (e.id || e.className || e.localName) +
            (e.matches(':focus-visible') ? '' : ' unseen'); })()`,
        );
      const around = async (key: string) => {
        const seen: string[] = [];
        for (let stop = await focused(); !seen.includes(stop); stop = await focused()) {
          seen.push(stop);
          await page.key(key);
        }
        return seen.filter((stop) => !stop.startsWith("body"));
      };
      const head = ["search", "thread", "theme", "help"];
      await open(page, pause);
      assertEquals(await around("Tab"), [
        ...[...head, "tab-parallel", "own", "frame system", "details"],
      ]);
      assertEquals((await around("Shift+Tab")).length, 8);

      // Parallel stacks: functions, stacks before and after, what is folded.
      const current = () => page.value("document.activeElement.firstChild.textContent");
      await page.key("1");
      assertEquals(await current(), "start");
      await page.key("ArrowRight");
      assertEquals(await current(), "thread_start");
      await page.key("ArrowDown");
      assertEquals([await current(), await page.text("aside h2")], ["worker", "worker"]);
      await page.key("PageDown");
      assertEquals(await current(), "main");
      await page.key("ArrowLeft");
      assertEquals(await current(), "start");
      while (!(await current()).startsWith("⋮ again, 29")) await page.key("ArrowDown");
      await page.key("Enter");
      assertEquals(await current(), "descend");
      assertEquals(await page.value("document.querySelectorAll('.fold').length"), 1);

      // What has nothing to work is scrolled.
      await page.resize(960, 300);
      await page.key("2");
      assertEquals(await focused(), "view-threads");
      await page.key("End");
      await page.until("document.activeElement.scrollTop > 0");
      await page.resize(960, 640);

      await open(page, profile());
      assertEquals(await around("Tab"), [...head, "tab-flame", "canvas", "details"]);
      await page.key("1");
      for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.key(key);
      assertMatch(await page.text("aside"), /^busy/);
      assertEquals(await page.value("machpausePage.barFor('mach_msg')"), null);

      // Timeline: a time by Shift and arrows, a thread by Enter.
      await page.key("4");
      await page.key("ArrowDown");
      assertMatch(await page.text("aside"), /^worker/);
      for (let count = 0; count < 5; count++) await page.key("Shift+ArrowRight");
      assertMatch(await page.text("#range"), /^50\.\d ms to 5\d\.\d ms/);
      assertEquals(await page.value("document.activeElement.localName"), "canvas");
      await page.key("Enter");
      assertEquals(await page.value("document.querySelector('#thread').value"), "1");
      await page.key("Enter");
      assertEquals(await page.value("document.querySelector('#thread').value"), "-1");

      // Threads: a choice draws the list again, and leaves the keyboard where it was.
      await page.key("5");
      await page.key("Tab");
      await page.key("Enter");
      assertEquals(await page.value("document.activeElement.ariaPressed"), "true");
    });

    await step("keys are listed; text of a target is text", async () => {
      await page.key("?");
      assertStringIncludes(await page.text("dialog"), "Search functions");
      await page.click("#close");
      const hostile =
        "<img src=x onerror=document.title='bad'></script><script>document.title='bad'</script>";
      await open(
        page,
        pageOfStacks(
          [stacks([thread(0, hostile, "main work", { queue: hostile })])],
          { title: hostile, facts: [["Fact", hostile]], notes: [hostile] },
          (name) => hostile + name,
        ),
      );
      for (const key of ["1", "2", "3", "4", "5"]) await page.key(key);
      assertStringIncludes(await page.text("#title"), "<img src=x");
      assertEquals(await page.value("document.querySelectorAll('img').length"), 0);
      assertFalse(await page.value("document.title === 'bad'"));
      // The policy holds even for a script that got in.
      await page.value(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.got = 1' }))",
      );
      assertFalse(await page.value("'got' in window"));
      page.errors.length = 0;
    });

    await step("on paper: every stack, with variables and without buttons", async () => {
      await open(page, pause);
      await page.value("dispatchEvent(new Event('beforeprint'))");
      await page.send("Emulation.setEmulatedMedia", { media: "print" });
      const text = await page.text("body");
      for (const part of ["App", "pid 12", "A note.", "4 gone", "limit int = 42", "leaf.c:7"]) {
        assertStringIncludes(text, part);
      }
      assertFalse(text.includes("Flame graph"));
      await page.send("Emulation.setEmulatedMedia", { media: "" });
    });

    await step("20,000 samples are drawn and searched without a long wait", async () => {
      await open(page, profile(10_000));
      assertEquals(await page.value("machpausePage.state.tab"), "flame");
      await page.click("#tab-timeline");
      await page.click("#tab-topdown");
      assertStringIncludes(await page.text("#view-topdown"), "20,000");
    });

    await step(
      "speedscope's own viewer opens what view serves it, and asks nobody else",
      async () => {
        const builder = new ProfileBuilder({ interval: 1, product: "app" });
        const frame = builder.frame(builder.function("main"));
        const thread = builder.thread({ process: builder.process({ name: "app" }), name: "main" });
        for (let row = 0; row < 10; row++) builder.sample(thread, builder.stack(-1, frame), row);
        const pages = await speedscopePages(builder.finish());
        const handler = handlerFor({ token: "secret", pages });
        await using server = Deno.serve(
          { hostname: "127.0.0.1", port: 0, onListen: () => {} },
          handler,
        );
        const origin = `http://127.0.0.1:${server.addr.port}`;
        await page.go(`${origin}/secret${speedscopePath("secret", "app")}`);
        await page.until("document.title.startsWith('app')");
        assertStringIncludes(await page.text("body"), "Left Heavy");
        assertEquals(page.requests.filter((asked) => !asked.startsWith(`${origin}/secret/`)), []);
        await page.go("about:blank");
      },
    );
  },
});
