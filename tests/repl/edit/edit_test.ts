/** The line editor: keys, text, drawing, history. */
import { assert, assertEquals } from "@std/assert";
import { safe } from "../../../lib/escape.ts";
import { EditBuffer } from "../../../repl/edit/buffer.ts";
import { type Answer, type Completion, LineEditor } from "../../../repl/edit/editor.ts";
import { highlight } from "../../../repl/edit/highlight.ts";
import { History } from "../../../repl/edit/history.ts";
import { KeyReader } from "../../../repl/edit/keys.ts";
import { layout, Screen, visiblePart } from "../../../repl/edit/screen.ts";
import { cut, textWidth } from "../../../repl/edit/width.ts";
import { screenOf } from "../vt.ts";

const names = (input: string, reader = new KeyReader()) =>
  reader.read(input).map(({ name, text }) => text === "" ? name : `${name} ${text}`);

Deno.test("keys of xterm, rxvt and the Linux console", () => {
  assertEquals(names("a\x01\x1b[A\x1bOB\x1b[1;5C\x1bb\x1b\x7f\x1b[3~\x1b[7~\r\t\x12\x1f"), [
    ...["text a", "ctrl-a", "up", "down", "word-right", "alt-b", "alt-backspace", "delete"],
    ...["home", "enter", "tab", "ctrl-r", "undo"],
  ]);
  assertEquals(names("\x1b[99;99X\x1b[1;3D"), ["word-left"]);
});

Deno.test("sequences and pastes that come in parts", () => {
  const reader = new KeyReader();
  assertEquals(names("ab\x1b", reader), ["text ab"]);
  assert(reader.waiting);
  assertEquals(names("[", reader), []);
  assertEquals(names("C", reader), ["right"]);
  assertEquals(reader.read(safe`\x1b`, false), []);
  assertEquals(reader.read(safe``, true).map(({ name }) => name), ["escape"]);
  assertEquals(names("\x1b[200~one\rtw", reader), []);
  assertEquals(names("o\x1b[A\x1b[20", reader), []);
  assertEquals(names("1~\x03", reader), ["paste one\ntwo\x1b[A", "ctrl-c"]);
});

Deno.test("moving and changing by characters, words and lines", () => {
  const buffer = new EditBuffer();
  buffer.set("let wörd = 'a b';\nnext(𝒳)");
  buffer.cursor = buffer.wordStart;
  assertEquals(buffer.text.slice(buffer.cursor), "𝒳)");
  buffer.cursor = buffer.after;
  assertEquals(buffer.text.slice(buffer.cursor), ")");
  assertEquals(buffer.before, buffer.cursor - 2);
  assert(buffer.moveLine(-1));
  assertEquals(buffer.text.slice(buffer.cursor, buffer.lineEnd), "d = 'a b';");
  assert(!buffer.moveLine(-1));
  buffer.kill(buffer.lineEnd);
  assertEquals(buffer.text, "let wör\nnext(𝒳)");
  buffer.cursor = 0;
  buffer.yank();
  assertEquals(buffer.text, "d = 'a b';let wör\nnext(𝒳)");
  buffer.undo();
  buffer.undo();
  assertEquals(buffer.text, "let wörd = 'a b';\nnext(𝒳)");
});

Deno.test("the width of text", () => {
  assertEquals([textWidth("abc"), textWidth("漢字"), textWidth("é"), textWidth("e\u0301")], [
    ...[3, 4, 1, 1],
  ]);
  assertEquals([cut("abcdef", 4), cut("漢字漢", 4), cut("abc", 3)], ["abc…", "漢…", "abc"]);
});

Deno.test("what is drawn is what there is, after any change, on any width", () => {
  const texts = [
    "",
    "a",
    "ab",
    "abcdefghijklmnop",
    "abcXdefghijklmnop",
    "漢字漢字漢字漢字",
    "x\ny\nz",
  ];
  texts.push(
    "abc\n漢字漢字漢字漢字漢字\nlonger than a row of them",
    "e\u0301e\u0301e\u0301",
    "",
    "line\n",
    "line",
  );
  for (const columns of [7, 10, 16, 80]) {
    let output = "";
    const screen = new Screen((text) => output += text);
    for (const text of texts) {
      for (const cursor of [text.length, 0, text.length >> 1]) {
        const shown = layout({ prompt: "> ", more: "| ", text, cursor, columns });
        screen.draw(visiblePart(shown, 30));
        const expected = shown.rows.map((row) => row.trimEnd());
        while (expected.length > 1 && expected.at(-1) === "") expected.pop();
        const seen = screenOf(output, columns, 40);
        assertEquals(seen.lines, expected, JSON.stringify([columns, text, cursor]));
        assertEquals(
          [seen.row, seen.column],
          [shown.row, shown.column],
          JSON.stringify([columns, text]),
        );
      }
    }
    screen.erase();
    assertEquals(screenOf(output, columns, 40).lines, [""]);
  }
});

Deno.test("of more rows than the screen has those around the cursor are drawn", () => {
  const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n");
  const all = layout({ prompt: "> ", more: "| ", text, cursor: text.length, columns: 40 });
  const part = visiblePart(all, 10);
  assertEquals([part.rows.length, part.rows[9], part.row], [10, "| line 49", 9]);
  const top = visiblePart({ ...all, row: 3 }, 10);
  assertEquals([top.rows[0], top.row], ["> line 0", 3]);
});

/** An editor whose screen is looked at. */
function editor(complete: (text: string) => Completion = () => ({ start: 0, candidates: [] })) {
  let output = "";
  const reader = new KeyReader();
  const history = new History();
  const size = { columns: 40, rows: 12 };
  let interrupts = 0;
  const line = new LineEditor({
    write: (text) => output += text,
    size: () => size,
    history,
    complete: (text) => Promise.resolve(complete(text)),
    isComplete: (text) => Promise.resolve(!text.endsWith("{")),
    suspend() {},
    quit() {},
    interrupt: () => interrupts++,
  });
  return {
    line,
    history,
    size,
    interrupts: () => interrupts,
    /** Types, and waits until that is worked off. */
    async type(input: string): Promise<string[]> {
      line.feed(reader.read(input));
      await new Promise((resolve) => setTimeout(resolve));
      return screenOf(output.replaceAll(/(?<!\r)\n/g, "\r\n"), size.columns, size.rows).lines;
    },
  };
}

Deno.test("Ctrl-R searches the history, further at each press", async () => {
  const { line, history, type } = editor();
  for (const text of ["bt all", "thread 1", "bt 2", "memory sp"]) history.add(text);
  const answer = line.read(safe`> `);
  assertEquals(await type("\x12b"), ["(history: b) bt 2"]);
  assertEquals(await type("t"), ["(history: bt) bt 2"]);
  assertEquals(await type("\x12"), ["(history: bt) bt all"]);
  assertEquals(await type("\x12"), ["(history: bt) bt all"]);
  assertEquals(await type("x"), ["(no history: btx)"]);
  assertEquals(await type("\x7f"), ["(history: bt) bt 2"]);
  await type("\x1b");
  await new Promise((resolve) => setTimeout(resolve, 60));
  assertEquals((await type("\x05!\r"))[0], "> bt 2!");
  assertEquals(await answer, { kind: "line", text: "bt 2!" });
  const second = line.read(safe`> `);
  await type("typed\x12mem");
  assertEquals((await type("\x07")).at(-1), "> typed");
  await type("\x03");
  assertEquals(await second, { kind: "interrupt", empty: false, first: false });
});

Deno.test("the history up and down, and what was typed before it", async () => {
  const { line, history, type } = editor();
  history.add("first");
  history.add("second\nof two lines");
  void line.read(safe`> `);
  await type("typed");
  assertEquals(await type("\x1b[A"), ["> second", "| of two lines"]);
  assertEquals(await type("\x1b[A\x1b[A"), ["> first"]);
  assertEquals(await type("\x1b[A"), ["> first"]);
  assertEquals(await type("\x1b[B\x1b[B"), ["> typed"]);
});

Deno.test("Tab inserts what is common, and lists what there is", async () => {
  const words = ["thread", "threads", "théâtre", "up"];
  const { line, type } = editor((text) => ({
    start: 0,
    candidates: words.filter((word) => word.startsWith(text)),
    suffix: " ",
  }));
  void line.read(safe`> `);
  assertEquals(await type("thr\t"), ["> thread"]);
  assertEquals(await type("\t"), ["thread   threads", "> thread"]);
  assertEquals((await type("s\t")).at(-1), "> threads");
  assertEquals((await type("\x15u\t!")).at(-1), "> up !");
});

Deno.test("of very many a screenful is listed, when asked twice", async () => {
  const { line, type } = editor(() => ({
    start: 0,
    candidates: Array.from({ length: 500 }, (_, index) => `name_${index}`),
    more: 1000,
  }));
  void line.read(safe`> `);
  assertEquals(await type("name_\t"), ["> name_"]);
  const lines = await type("\t");
  assertEquals(lines.length <= 12, true);
  assert(lines.some((text) => /^\(\d{4} more\)$/.test(text)), lines.join("\n"));
});

Deno.test("a paste is edited together, and controls in it do nothing", async () => {
  const { line, type } = editor();
  const answer = line.read(safe`> `);
  assertEquals(await type("\x1b[200~one\rtwo\x1b[2J\x03\r\x1b[201~"), ["> one", "| two?[2J?"]);
  await type("\x1b[A\x1b[H\x0b1");
  await type("\r");
  assertEquals(await answer, { kind: "line", text: "1\ntwo\x1b[2J\x03" });
});

Deno.test("typed ahead: kept in order, given up by Ctrl-C; the end of input comes after it", async () => {
  const { line, type, interrupts } = editor();
  await type("first\rsecond\r");
  assertEquals(await line.read(safe`> `), { kind: "line", text: "first" });
  assertEquals(await line.read(safe`> `), { kind: "line", text: "second" });
  await type("third\r\x03");
  assertEquals(interrupts(), 1);
  const next = line.read(safe`> `);
  await type("fourth\r");
  assertEquals(await next, { kind: "line", text: "fourth" });
  await type("last\r");
  line.end();
  const answers: Answer[] = [await line.read(safe`> `), await line.read(safe`> `)];
  assertEquals(answers, [{ kind: "line", text: "last" }, { kind: "end" }]);
});

Deno.test("a narrow terminal, made narrower", async () => {
  const { line, type, size } = editor();
  void line.read(safe`(machpause demo paused) > `);
  assertEquals(await type("0123456789"), ["…use demo paused) > 0123456789"]);
  size.columns = 24;
  line.redraw();
  assertEquals((await type("A")).slice(-1), ["… > 0123456789A"]);
});

Deno.test("the history outlives the session, torn lines left out", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/state/history`;
    const first = new History(path);
    first.add("one");
    first.add("two\nlines");
    first.add("two\nlines");
    first.add("   ");
    await Deno.writeTextFile(path, '"torn\n', { append: true });
    const second = new History(path);
    second.add("three");
    assertEquals(new History(path).entries, ["one", "two\nlines", "three"]);
    if (Deno.build.os !== "windows") assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
    const many = Array.from({ length: 10_001 }, (_, index) => `"${index}"\n`).join("");
    await Deno.writeTextFile(path, many);
    assertEquals(new History(path).entries.length, 5000);
    assertEquals((await Deno.readTextFile(path)).split("\n").length, 5001);
    // Where nothing can be kept, the session goes on.
    const nowhere = new History("/dev/null/history");
    nowhere.add("x");
    assertEquals(nowhere.entries, ["x"]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("colours: what is drawn has those of the whole text, whatever was drawn before", () => {
  let output = "";
  const screen = new Screen((text) => output += text);
  const style = (kind: string, text: ReturnType<typeof safe>) =>
    kind === " " ? text : safe`\x1b[${kind.charCodeAt(0) % 8 + 30}m${text}\x1b[0m`;
  const texts = ["", "c", "co", "cons", "const", "const a = '", "const a = 'x'", "cons", "x"];
  for (const text of texts) {
    const kinds = highlight(text, 0);
    screen.draw(
      layout({ prompt: "> ", more: "| ", text, kinds, cursor: text.length, columns: 40 }),
      style,
    );
    assertEquals(screenOf(output, 40, 5).lines, [`> ${text}`.trimEnd()]);
  }
  assertEquals(highlight("const a = 'x' // 1", 0), "kkkkk     sss qqqq");
  assertEquals(highlight("thread if 0x1f $pc", 6), "cccccc    nnnn rrr");
  assertEquals(highlight("  bt 3", 2), "  cc n");
});

Deno.test("the terminal's answers are no keys, also where they come in parts", () => {
  const reader = new KeyReader();
  assertEquals(names("a\x1b]11;rgb:ffff/ff", reader), ["text a"]);
  assertEquals(names("ff/ffff\x1b", reader), []);
  assertEquals(names("\\b", reader), ["answer 11;rgb:ffff/ffff/ffff", "text b"]);
  assertEquals(names("\x1b]11;rgb:0/0/0\x07"), ["answer 11;rgb:0/0/0"]);
});
