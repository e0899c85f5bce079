/** The prompt's own commands. Each is data: its name, how it is written, what it does. */
import { MemoryReadError } from "../lib/errors.ts";
import { escape } from "../lib/escape.ts";
import type { LoadedImage } from "../mod.ts";
import { UserError } from "./errors.ts";
import { held, openCoreFile, openTarget } from "./open.ts";
import {
  backtraceLines,
  backtracesLines,
  exceptionLines,
  frameColumns,
  frameLine,
  hex,
  hexdump,
  noteLines,
  registerLines,
  threadHeader,
} from "./render.ts";
import type { Session } from "./session.ts";

/** One command of the prompt. */
export interface PromptCommand {
  readonly name: string;
  /** Its arguments as the help shows them. */
  readonly usage: string;
  readonly help: string;
  /** Returns the lines to print. */
  run(session: Session, args: readonly string[]): readonly string[] | Promise<readonly string[]>;
}

/** A count or a number of something, as typed. */
function wholeNumber(text: string, what: string): number {
  const value = Number(text);
  if (/^(?:0x[\da-f]+|\d+)$/i.test(text) && Number.isSafeInteger(value)) return value;
  throw new UserError(`${text} is not ${what}: it must be a whole number`);
}

function pointerSize(session: Session): number {
  return session.target.arch.pointerSize;
}

/** An address as typed: a number, a register of the selected frame, or a symbol's name. */
function addressOf(session: Session, text: string): bigint {
  if (/^(?:0x[\da-f]+|\d+)$/i.test(text)) return BigInt(text);
  const register = registerNamed(session, text.replace(/^\$/, ""));
  if (register !== undefined) return register;
  const [found] = session.target.lookup(text);
  if (found !== undefined) return found.symbol.address;
  throw new UserError(`${text} is no address, no register, and no symbol`);
}

function registerNamed(session: Session, name: string): bigint | undefined {
  const { arch } = session.target;
  const roles: Readonly<Record<string, string>> = {
    pc: arch.pc.name,
    sp: arch.sp.name,
    fp: arch.fp.name,
  };
  const { registers } = session.frame;
  return registers.get(name) ?? registers.get(roles[name] ?? "");
}

/** The selected frame, as `frame` shows it. */
function selectedFrame(session: Session): string[] {
  const { frame } = session;
  return [frameLine(frame, pointerSize(session), frameColumns([frame]), session.style)];
}

function imageLine(image: LoadedImage): string {
  return `${escape(image.path)}  ${image.uuid ?? "no UUID"}  at 0x${
    image.loadAddress.toString(16)
  }`;
}

/** What a core is of, and how it ended. The thread that crashed is selected. */
export function coreLines(session: Session): string[] {
  const { core } = session;
  if (core === undefined) return [];
  const count = core.threads.length === 1 ? "1 thread" : `${core.threads.length} threads`;
  const lines = [`${core}: ${count}, ${core.images.length} images`];
  const crashed = core.crashedThread;
  if (crashed !== null) {
    session.selectThread(crashed.index);
    lines.push(
      `thread ${crashed.index} crashed: ${session.style("warning", `${crashed.exception}`)}`,
    );
  }
  return [...lines, ...warningLines(session)];
}

/** What was found damaged or missing since it was last said. */
function warningLines(session: Session): string[] {
  return session.newWarnings().map((text) => session.style("quiet", `warning: ${escape(text)}`));
}

/** What is at an address. */
function lookupAddress(session: Session, address: bigint): string[] {
  const { image, symbol, offset, source } = session.target.resolve(address);
  const text = hex(address, pointerSize(session));
  if (image === null) return [`${text}: in no image`];
  const name = escape(image.name);
  const place = symbol === null
    ? `${name} + 0x${offset.toString(16)}`
    : `${escape(symbol.name)} + ${offset}`;
  const lines = [`${text}  ${name}  ${place}`];
  if (source !== null) lines.push(`  ${escape(source.file)}:${source.line}`);
  lines.push(`  ${imageLine(image)}`);
  return lines;
}

/** The commands, in the order in which the help lists them. */
export const commands: readonly PromptCommand[] = [
  {
    name: "attach",
    usage: "<pid|name>",
    help: "take hold of a running process",
    async run(session, [spec]) {
      if (spec === undefined) throw new UserError("attach to what? a pid or a process name");
      session.open(await openTarget(spec));
      return [`attached to ${session.target}`];
    },
  },
  {
    name: "launch",
    usage: "<program> [args…]",
    help: "start a program and take hold of it",
    async run(session, [program, ...args]) {
      if (program === undefined) throw new UserError("launch what? the path of a program");
      const { openLaunched } = await import("./launch.ts");
      session.open(await openLaunched(program, args));
      return [`launched ${session.target}`];
    },
  },
  {
    name: "core",
    usage: "<file> [folder…]",
    help: "open a core; its binaries are looked for in the folders too",
    async run(session, [file, ...folders]) {
      if (file === undefined) throw new UserError("open which core? the path of a file");
      session.open(held(await openCoreFile(file, folders)));
      return coreLines(session);
    },
  },
  {
    name: "demo",
    usage: "",
    help: "start the demo process, and pause it",
    async run(session) {
      session.open(await openTarget("demo"));
      session.pause();
      return [`launched ${session.target}`];
    },
  },
  {
    name: "self",
    usage: "",
    help: "look at machpause's own process, in snapshots",
    async run(session) {
      session.open(await openTarget("self"));
      return [`${session.target}`];
    },
  },
  {
    name: "pause",
    usage: "",
    help: "stop every thread",
    run(session) {
      session.pause();
      return [`paused: ${session.threads().length} threads`];
    },
  },
  {
    name: "resume",
    usage: "",
    help: "let the target run on",
    run(session) {
      session.resume();
      return [];
    },
  },
  {
    name: "threads",
    usage: "",
    help: "list the threads; of a target that runs, as they are now",
    run(session) {
      const threads = session.threads(true);
      return threads.map((thread) =>
        (thread === session.thread ? "* " : "  ") + threadHeader(thread, session.style)
      );
    },
  },
  {
    name: "thread",
    usage: "[N]",
    help: "select thread N; without N, show the selected one",
    run(session, [number]) {
      if (number !== undefined) session.selectThread(wholeNumber(number, "a thread's number"));
      const lines = [threadHeader(session.thread, session.style)];
      for (const line of exceptionLines(session.thread, session.style)) lines.push("  " + line);
      if (session.frames.length === 0) return lines;
      return [...lines, ...selectedFrame(session).map((line) => "  " + line)];
    },
  },
  {
    name: "bt",
    usage: "[N|all]",
    help: "backtrace of the selected thread, of thread N, or of all",
    run(session, [which]) {
      session.threads(true);
      const size = pointerSize(session);
      if (which === "all") {
        const lines = backtracesLines(session.threads(), size, session.style);
        return [...lines, ...warningLines(session)];
      }
      const thread = which === undefined
        ? session.thread
        : session.threadOf(wholeNumber(which, "a thread's number"));
      return [...backtraceLines(thread, size, session.style), ...warningLines(session)];
    },
  },
  {
    name: "up",
    usage: "[N]",
    help: "select the caller's frame, or the one N further out",
    run(session, [count = "1"]) {
      session.selectFrame(session.frame.index + wholeNumber(count, "a count"));
      return selectedFrame(session);
    },
  },
  {
    name: "down",
    usage: "[N]",
    help: "select the callee's frame, or the one N further in",
    run(session, [count = "1"]) {
      session.selectFrame(session.frame.index - wholeNumber(count, "a count"));
      return selectedFrame(session);
    },
  },
  {
    name: "frame",
    usage: "[N]",
    help: "select frame N; without N, show the selected one",
    run(session, [number]) {
      if (number !== undefined) session.selectFrame(wholeNumber(number, "a frame's number"));
      return selectedFrame(session);
    },
  },
  {
    name: "unwind",
    usage: "",
    help: "how the selected frame was found, and how its caller would be",
    async run(session) {
      const { unwindPlan } = await import("../mod.ts");
      const { frame, target } = session;
      const plans = unwindPlan(target, frame.lookupAddress);
      const plan = frame.via === "context" ? plans.innermost : plans.caller;
      const found = frame.rule === null ? frame.via : `${frame.via}: ${frame.rule}`;
      const onward = plan === null ? "by frame records" : `${plan.via}: ${plan.rule}`;
      return [...selectedFrame(session), `  found   ${found}`, `  caller  ${onward}`];
    },
  },
  {
    name: "registers",
    usage: "",
    help: "the registers that are known in the selected frame",
    run(session) {
      return registerLines(session.frame.registers, pointerSize(session), session.style);
    },
  },
  {
    name: "images",
    usage: "",
    help: "the executable and the libraries, with UUIDs and load addresses",
    async run(session) {
      const { Table } = await import("@cliffy/table");
      const size = pointerSize(session);
      const { images } = session.target;
      if (images.length === 0) return ["no images"];
      const table = new Table()
        .header(["load address", "UUID", "path"])
        .body(images.map((image) => [
          hex(image.loadAddress, size),
          image.uuid ?? "-",
          escape(image.path),
        ]))
        .padding(2);
      return table.toString().split("\n").map((line) => line.trimEnd());
    },
  },
  {
    name: "lookup",
    usage: "<address|name>",
    help: "what is at an address; where a symbol is",
    run(session, args) {
      const text = args.join(" ");
      if (text === "") throw new UserError("look up what? an address, or a symbol's name");
      if (/^(?:0x[\da-f]+|\d+)$/i.test(text)) return lookupAddress(session, BigInt(text));
      const found = session.target.lookup(text);
      if (found.length > 0) {
        const size = pointerSize(session);
        return found.map(({ image, symbol }) =>
          `${hex(symbol.address, size)}  ${escape(image.name)}  ${escape(symbol.name)}  ` +
          `${symbol.size} bytes${symbol.external ? "" : ", local"}`
        );
      }
      return lookupAddress(session, addressOf(session, text));
    },
  },
  {
    name: "memory",
    usage: "<address> [bytes]",
    help: "a hexdump, of 64 bytes or as many as asked for",
    run(session, [where, count = "64"]) {
      if (where === undefined) throw new UserError("memory where? an address, register or symbol");
      const address = addressOf(session, where);
      const length = wholeNumber(count, "a count of bytes");
      // What is typed by mistake should not fill the screen, or this process.
      if (length > 1 << 20) throw new UserError("at most 1048576 bytes at once");
      const bytes = session.target.memory.readUpTo(address, length);
      if (bytes.length === 0 && length > 0) throw new MemoryReadError(address, length);
      const size = pointerSize(session);
      const lines = hexdump(bytes, address, size, session.style);
      if (bytes.length < length) {
        const end = hex(address + BigInt(bytes.length), size);
        lines.push(session.style("quiet", `(unreadable from ${end} on)`));
      }
      return lines;
    },
  },
  {
    name: "notes",
    usage: "",
    help: "what else a core says",
    run(session) {
      const core = session.core;
      if (core === undefined) throw new UserError("only cores have notes: `core <file>` opens one");
      return noteLines(core);
    },
  },
  {
    name: "detach",
    usage: "",
    help: "let the target go; it runs on",
    run(session) {
      const name = `${session.target}`;
      session.close();
      return [`detached from ${name}`];
    },
  },
  {
    name: "savecore",
    usage: "<file> [stacks|dirty|full]",
    help: "save the target as a core file; without a style, what backtraces need",
    async run(session, [file, style = "stacks"]) {
      if (file === undefined) throw new UserError("save the core as what? the path of a file");
      const { coreStyle, savedLine, saveCoreFile } = await import("./savecore.ts");
      const saved = await saveCoreFile(session.target, file, coreStyle(style), (giveUp) => {
        session.interrupt = giveUp;
      });
      return [savedLine(saved), ...saved.warnings.map((text) => `warning: ${escape(text)}`)];
    },
  },
  {
    name: "help",
    usage: "",
    help: "this list",
    run() {
      const written = commands.map(({ name, usage }) => `${name} ${usage}`.trimEnd());
      const width = Math.max(...written.map((text) => text.length));
      return [
        ...commands.map(({ help }, index) => `  ${written[index].padEnd(width)}  ${help}`),
        "",
        "Anything else is TypeScript, over `target`, `threads`, `thread` and `frame`:",
        '  target.threads.filter((t) => t.state === "running").map((t) => t.name)',
      ];
    },
  },
  {
    name: "quit",
    usage: "",
    help: "leave; the target runs on",
    run(session) {
      session.ended = true;
      return [];
    },
  },
];

/** The command that a line begins with, and its arguments; `undefined` where the line is code. */
export function parseCommand(
  line: string,
): { command: PromptCommand; args: string[] } | undefined {
  const [name, ...args] = line.trim().split(/\s+/);
  const command = commands.find((command) => command.name === name);
  // `frame = 1` and `thread .name` are code; `core /tmp/a.core` is not.
  if (/^<(?:file|program)/.test(command?.usage ?? "") && /^\.{0,2}\//.test(args[0] ?? "")) {
    return { command: command!, args };
  }
  if (command === undefined || /^[=.([?+*/<>&|,;!:-]/.test(args[0] ?? "")) return undefined;
  return { command, args };
}
