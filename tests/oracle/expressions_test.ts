/** Expressions over the demo's variables, as LLDB evaluates them on the same core: types and values. */

import { assert, assertEquals } from "@std/assert";
import { Session } from "../../repl/prompt/session.ts";
import { held } from "../../repl/prompt/open.ts";
import { valueOf } from "../../repl/commands/expressions.ts";
import { plain } from "../../repl/view/style.ts";
import { openCore } from "../../mod.ts";
import { startDemo } from "../lib/target/demo.ts";

/** In `descend`: an argument `depth`, an array `local[4]` of volatile ints; and the demo's globals. */
const operands = [
  "depth",
  "local[1]",
  "local[depth & 3]",
  "demo_argc",
  "(char)depth",
  "3",
  "7u",
  "2.5",
];
const operators = [
  "+",
  "-",
  "*",
  "/",
  "%",
  "<<",
  ">>",
  "&",
  "|",
  "^",
  "<",
  ">",
  "<=",
  ">=",
  "==",
  "!=",
];

/** Every operator between every two operands, where C allows it. */
const combined = operands.flatMap((left) =>
  operators.flatMap((operator) =>
    operands.flatMap((right) => {
      const isFloating = left === "2.5" || right === "2.5";
      return isFloating && /^(?:%|<<|>>|&|\||\^)$/.test(operator)
        ? []
        : `${left} ${operator} ${right}`;
    })
  )
);

const expressions = [
  ...combined,
  ...[
    "depth",
    "-depth",
    "~depth",
    "!depth",
    "+depth",
    "*local",
    "*(local + 2)",
    "local[0] + local[1]",
  ],
  ...[
    "&local[0] == &local[0]",
    "&local[2] - &local[0]",
    "&local[3] > &local[1]",
    "depth ? 10 : 20",
  ],
  ...["(unsigned char)(depth - 100)", "(short)70000", "(long)depth << 40", "(float)depth / 3"],
  ...[
    "(double)depth / 3",
    "sizeof(depth)",
    "sizeof local",
    "(int)2.9",
    "(int)-2.9",
    "1 + 2 * 3 - 4",
  ],
  ...["0x7fffffff", "0x80000000", "2147483648", "0xffffffffffffffff", "'a'", "017", "1ul", "1ll"],
  ...["demo_argc * 2 + 1", "demo_ready", "demo_progress[0] >= 0", "(depth + 1) * (depth - 1)"],
  ...[
    "depth && local[0]",
    "depth || 0",
    "depth == 4 && local[1] == 5",
    "*&local[1] + 1",
  ],
];

/** LLDB's type and value of each expression in the frame, or its error. */
async function lldb(
  core: string,
  folder: string,
  frame: number,
): Promise<(readonly [string, string])[]> {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/expressions.json`, JSON.stringify(expressions));
    await Deno.writeTextFile(
      `${directory}/evaluate.py`,
      `
import json, lldb
def run(debugger):
    process = debugger.GetSelectedTarget().GetProcess()
    thread = next(t for t in process if any(f.GetFunctionName() == "deep_bottom" for f in t))
    frame = [f for f in thread][${frame}]
    options = lldb.SBExpressionOptions()
    options.SetAllowJIT(False)
    options.SetLanguage(lldb.eLanguageTypeC_plus_plus_11)
    answers = []
    for text in json.load(open("${directory}/expressions.json")):
        value = frame.EvaluateExpression(text, options)
        error = value.GetError().GetCString()
        answers.append([value.GetTypeName() or "error", value.GetValue() or error or ""])
    json.dump(answers, open("${directory}/answers.json", "w"))
`,
    );
    const { success, stderr } = await new Deno.Command("lldb-19", {
      args: [
        ...["-x", "-b", "-o", `target create ${folder}demo --core ${core}`],
        ...["demo", "libworkers.dylib"].flatMap((name) => [
          "-o",
          `target symbols add ${folder}${name}.dSYM/Contents/Resources/DWARF/${name}`,
        ]),
        ...["-o", `command script import ${directory}/evaluate.py`],
        ...["-o", "script evaluate.run(lldb.debugger)"],
      ],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    return JSON.parse(await Deno.readTextFile(`${directory}/answers.json`));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("every operator between operands of every type, as LLDB has them", async () => {
  const path = await Deno.makeTempFile();
  try {
    {
      using live = await startDemo("x86_64");
      await live.saveCore(path, { style: "full" });
      live.kill();
    }
    using core = openCore(path);
    const session = new Session(plain);
    session.open(held(core));
    const deep = core.threads.find(({ name }) => name === "demo.deep")!;
    session.selectThread(deep.index);
    session.selectFrame(5);
    const theirs = await lldb(
      path,
      new URL("../../examples/demo/x86_64/", import.meta.url).pathname,
      5,
    );
    const ours = expressions.map((text) => {
      try {
        const value = valueOf(session, text);
        return [value.type.name.replace(/^(?:const |volatile )+/, ""), value.text ?? ""];
      } catch (error) {
        return ["error", String(error)];
      }
    });
    let compared = 0;
    const differences = expressions.flatMap((text, index) => {
      const [type, value] = theirs[index];
      const [ownType, ownValue] = ours[index];
      // Divisions by zero and shifts that C does not define are errors here; LLDB's interpreter gives 0.
      const isUndefined = ownType === "error" && / (?:division by zero|shift by) /.test(ownValue);
      // LLDB's interpreter has no conversions of floating-point numbers.
      if (isUndefined || value.includes("Interpreter doesn't handle")) return [];
      compared++;
      const sameValue = value === ownValue || Number(value) === Number(ownValue);
      const sameType = type.replace(/^(?:const |volatile )+/, "") === ownType;
      return sameValue && sameType
        ? []
        : [`${text}: LLDB (${type}) ${value}, here (${ownType}) ${ownValue}`];
    });
    assertEquals(differences, []);
    assert(compared > 600, `${compared} were compared`);
  } finally {
    await Deno.remove(path);
  }
});
