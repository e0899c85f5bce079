/** Frames, their registers and their source. */
import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";
import { frameColumns, frameLine, hex, registerLines } from "../view/render.ts";
import { globalOptions, type Values, variableOptions } from "../options.ts";
import { addressOf } from "./address.ts";
import { type Command, command, many, optional, required, rest } from "./command.ts";
import {
  checkWritable,
  confirmed,
  integer,
  registerName,
  threadPointer,
  wholeNumber,
  yesOption,
} from "./values.ts";

/** The number of lines of source before and after a frame's own. */
const contextAround = 2;

/** The selected frame, and at a prompt its source where that is here. */
async function frameAndSource(session: Session): Promise<SafeText[]> {
  const lines = selectedFrame(session);
  const { source } = session.frame;
  if (source === null || !session.ui.interactive) return lines;
  const { contextLines } = await import("../view/source.ts");
  return [...lines, ...contextLines(session, source, contextAround)];
}

/** The selected frame, as `frame` shows it. */
export function selectedFrame(session: Session): SafeText[] {
  const { frame, pointerSize, style } = session;
  const { columns } = session.ui.size();
  return [
    frameLine(frame, pointerSize, frameColumns([frame], columns), style, undefined, columns - 2),
  ];
}

const frameOptions = {
  args: { short: "a", help: "Show the function's arguments." },
  json: { help: "Print JSON." },
} as const;

/** What `up`, `down` and `frame` show. */
async function shownFrame(
  session: Session,
  { args, json }: Values<typeof frameOptions>,
): Promise<SafeText[]> {
  if (!json) return args ? frameWithArguments(session) : frameAndSource(session);
  const { frame } = session;
  const more = args
    ? (await import("../view/variables.ts")).frameVariablesJson({ args })(frame)
    : {};
  return [safeJson({ ...frame.toJSON(), ...more })];
}

/** The selected frame with its arguments. */
async function frameWithArguments(session: Session): Promise<SafeText[]> {
  const [{ argumentsText, withoutParameters }, { demangle }] = await Promise.all([
    import("../view/variables.ts"),
    import("../../lib/symbols/walking.ts"),
  ]);
  const { frame, pointerSize, style } = session;
  const after = argumentsText(frame);
  const name = (mangled: string) => {
    const readable = demangle(mangled);
    return after === "" ? readable : withoutParameters(readable) + after;
  };
  const columns = frameColumns([frame], Infinity);
  return [frameLine(frame, pointerSize, columns, style, name)];
}

/** A register of the thread state, by its name or its role.
 *
 * @throws UserError when there is none of that name
 */
function registerOf(session: Session, text: string): { name: string; size: number } {
  const { arch } = session.target;
  const { registers } = arch.threadState;
  const found = registers.find(({ name }) => name === text.replace(/^\$/, "")) ??
    registers.find(({ name }) => name === registerName(arch, text));
  if (found !== undefined) return found;
  const names = registers.map((register) => register.name).join(" ");
  throw new UserError(`${text} is no register: there are ${names}`);
}

/** Commands about frames. */
export const frames: readonly Command[] = [
  command({
    name: "up",
    group: "frames",
    arguments: [optional("N", "text")],
    options: frameOptions,
    help: "select the caller's frame, or the one N further out",
    example: "up 2",
    again: "same",
    run({ session }, [count = "1"], options) {
      session.selectFrame(session.frameIndex + wholeNumber(count, "a count"));
      return shownFrame(session, options);
    },
  }),
  command({
    name: "down",
    group: "frames",
    arguments: [optional("N", "text")],
    options: frameOptions,
    help: "select the callee's frame, or the one N further in",
    example: "down",
    again: "same",
    run({ session }, [count = "1"], options) {
      session.selectFrame(session.frameIndex - wholeNumber(count, "a count"));
      return shownFrame(session, options);
    },
  }),
  command({
    name: "frame",
    aliases: ["frame select", "frame info", "f", "info frame"],
    group: "frames",
    arguments: [optional("N", "frame")],
    options: frameOptions,
    help: "select frame N; without N, show the selected one",
    example: "frame 3",
    run({ session }, [number], options) {
      if (number !== undefined) session.selectFrame(wholeNumber(number, "a frame's number"));
      return shownFrame(session, options);
    },
  }),
  command({
    name: "frame variable",
    aliases: [
      "v",
      "variables",
      "fr v",
      "fr var",
      "frame var",
      "vo",
      "dv",
      { name: "info args", args: ["--args"] },
      { name: "info locals", args: ["--locals"] },
    ],
    group: "frames",
    arguments: [many("variable", "variable")],
    options: variableOptions,
    help: "the variables of the selected frame, or those named, as `list[3].next->value`",
    details: ["`frame.locals` has them in TypeScript."],
    example: "v count",
    loadsDemangler: true,
    async run({ session }, paths, options) {
      // Only what is typed may name a function.
      if (paths.length > 0) await session.loadDemangler();
      const { showVariables } = await import("./variables.ts");
      const format = options.format === undefined
        ? undefined
        : await (await import("./expressions.ts")).formatLetter(options.format);
      const given = format === undefined ? options : { ...options, format };
      return await session.withNames(() => showVariables(session, paths, given));
    },
  }),
  command({
    name: "target variable",
    aliases: ["globals", "ta v", "ta var", "target var", "info variables"],
    group: "frames",
    arguments: [many("variable", "text")],
    options: globalOptions,
    help: "the variables outside of functions: those named, or all of the program's image",
    details: ["`target.globals()` has them in TypeScript."],
    example: "target variable gCount",
    async run({ session }, names, options) {
      return (await import("./variables.ts")).showGlobals(session, names, options);
    },
  }),
  command({
    name: "watch",
    group: "frames",
    arguments: [rest("expression", "variable")],
    options: {
      seconds: { short: "s", value: "seconds", help: "Time between two looks. Default: 1." },
      count: { short: "c", value: "looks", integer: true, help: "Number of looks." },
      json: { help: "Print JSON, one line for each look." },
    },
    help: "show an expression's value each second while the target runs; Ctrl-C ends it",
    details: ["It is no watchpoint: the value is looked at, and nothing is stopped for longer."],
    example: "watch counter",
    async run({ session }, [expression], { seconds, count, json }) {
      if (expression === undefined) throw new UserError("watch what? `watch counter`");
      const [{ watch }, { secondsOf }] = await Promise.all([
        import("./expressions.ts"),
        import("./activity.ts"),
      ]);
      return await watch(session, expression, { seconds: secondsOf(seconds, 1), count, json });
    },
  }),
  command({
    name: "variable write",
    group: "frames",
    arguments: [required("variable", "variable"), required("value", "text")],
    options: { yes: yesOption },
    changes: true,
    help: "write a number to a variable; shows old and new, and asks",
    example: "variable write count 3 --yes",
    async run({ session }, [path, value], { yes }) {
      checkWritable(session, "variables");
      if (!session.target.paused) throw new UserError("the target is running: `pause` it first");
      const { writeVariable } = await import("./variables.ts");
      return await writeVariable(session, path, value, yes);
    },
  }),
  command({
    name: "unwind",
    aliases: ["image show-unwind"],
    group: "frames",
    help: "how the selected frame was found, and how its caller would be",
    example: "unwind",
    async run({ session }) {
      const { unwindPlan } = await import("../../lib/unwind/mod.ts");
      const { frame, target } = session;
      const plans = unwindPlan(target, frame.lookupAddress);
      const plan = frame.foundBy === "context" ? plans.innermost : plans.caller;
      const text = (via: string, rule: string | null) =>
        escape(rule === null ? via : `${via}: ${rule}`);
      const onward = plan === null ? safe`by frame records` : text(plan.foundBy, plan.rule);
      return [
        ...selectedFrame(session),
        safe`  found   ${text(frame.foundBy, frame.rule)}`,
        safe`  caller  ${onward}`,
      ];
    },
  }),
  command({
    name: "registers",
    aliases: ["register read", "info registers", "info all-registers", "info reg", "info r"],
    group: "frames",
    arguments: [many("name", "register")],
    options: { all: { short: "a", help: "All registers: the same as no names." } },
    help: "the registers that are known in the selected frame, or those named",
    example: "register read pc sp",
    run({ session }, wanted) {
      const { registers } = session.frame;
      const { pointerSize, style } = session;
      const pointer = threadPointer(session);
      if (wanted.length === 0) {
        return registerLines(
          [...registers, ...pointer === undefined ? [] : [pointer]],
          pointerSize,
          style,
          Math.min(80, session.ui.size().columns),
        );
      }
      return wanted.map((text) => {
        const isPointer = text.replace(/^\$/, "") === pointer?.name;
        const name = escape(isPointer ? pointer!.name : registerOf(session, text).name);
        const value = isPointer ? pointer!.value : registers.get(name);
        if (value === undefined) return safe`${name}: not known in this frame`;
        const line = safe`${name} ${style("address", hex(value, pointerSize))}`;
        const { symbol } = session.target.resolve(value);
        const place = symbol === null ? undefined : session.describe(value);
        return place === undefined ? line : safe`${line}  ${place}`;
      });
    },
  }),
  command({
    name: "register write",
    group: "frames",
    arguments: [required("register", "register"), required("value", "address")],
    options: { yes: yesOption },
    changes: true,
    help: "write a register of the selected thread; shows old and new, and asks",
    example: "register write rax 0 --yes",
    async run({ session }, [text, value], { yes }) {
      checkWritable(session, "registers");
      if (!session.target.paused) throw new UserError("the target is running: `pause` it first");
      if (session.frame.foundBy !== "context" && session.frameIndex > 0) {
        throw new UserError("only the innermost frame's registers can be written: `frame 0`");
      }
      const register = registerOf(session, text);
      const name = escape(register.name);
      const { pointerSize: size, thread } = session;
      const old = session.frame.registers.get(name);
      const next = BigInt.asUintN(8 * register.size, integer(value) ?? addressOf(session, value));
      const before = old === undefined ? safe`?` : hex(old, size);
      const change = safe`${name}: ${before} -> ${hex(next, size)}`;
      if (!await confirmed(session, yes, safe`thread ${thread.index}, ${change}: write it?`)) {
        return [safe`nothing was written`];
      }
      thread.setRegister(name, next);
      session.reselect();
      return [change];
    },
  }),
  command({
    name: "source",
    aliases: ["source list", "list", "l"],
    group: "frames",
    arguments: [optional("file:line|line", "file")],
    options: {
      name: { short: "n", value: "function", help: "Around a function, as in LLDB." },
      file: { short: "f", value: "file", help: "Around a line of a file, as in LLDB." },
      line: { short: "l", value: "line", integer: true, help: "The line; 1 of a file without." },
    },
    help: "the source around the selected frame; again: the lines that follow",
    details: [
      "`list 10,20` shows these lines, `list -` those before the ones that were shown.",
      "`source map <from> <to>` says where files that were built elsewhere are now.",
    ],
    example: "source",
    again: "source",
    async run({ session }, [where], { name, file, line }) {
      const { sourceLines } = await import("../view/source.ts");
      const place = file === undefined ? line?.toString() : `${file}:${line ?? 1}`;
      return sourceLines(session, where ?? name ?? place);
    },
  }),
  command({
    name: "source map",
    aliases: ["settings set target.source-map", "set substitute-path"],
    group: "frames",
    arguments: [optional("from", "text"), optional("to", "file")],
    help: "look for sources in another folder than they were built in",
    example: "source map /build/machine/src ./src",
    run({ session }, [from, to]) {
      if (from !== undefined && to === undefined) {
        throw new UserError(`where is ${from} now? \`source map <from> <to>\``);
      }
      if (from !== undefined) session.sourceMap.push([from, to]);
      return session.sourceMap.map(([from, to]) => safe`${escape(from)} -> ${escape(to)}`);
    },
  }),
];
