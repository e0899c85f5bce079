/** Frames and what is in them: registers, source. */
import { frameColumns, frameLine, hex, registerLines } from "../view/render.ts";
import type { Session } from "../prompt/session.ts";
import { UserError } from "../errors.ts";
import {
  addressOf,
  checkWritable,
  integer,
  pointerSize,
  wholeNumber,
  withConsent,
} from "./arguments.ts";
import type { Family } from "./command.ts";

/** The selected frame, as `frame` shows it. */
export function selectedFrame(session: Session): string[] {
  const { frame } = session;
  return [frameLine(frame, pointerSize(session), frameColumns([frame]), session.style)];
}

/** The name that the thread state has for a register or a role. */
function registerName(session: Session, text: string): string {
  const { threadState, pc, sp, fp, lr } = session.target.arch;
  const name = text.replace(/^\$/, "");
  const role = { pc, sp, fp, lr }[name]?.name;
  const found = threadState.registers.find((register) =>
    register.name === name || register.name === role
  );
  if (found !== undefined) return found.name;
  const names = threadState.registers.map((register) => register.name).join(" ");
  throw new UserError(`${text} is no register: there are ${names}`);
}

/** Commands about frames. */
export const frames: Family = {
  title: "Frames and registers",
  commands: [
    {
      name: "up",
      usage: "[N]",
      help: "select the caller's frame, or the one N further out",
      example: "up 2",
      takes: ["text"],
      run(session, [count = "1"]) {
        session.selectFrame(session.frameIndex + wholeNumber(count, "a count"));
        return selectedFrame(session);
      },
    },
    {
      name: "down",
      usage: "[N]",
      help: "select the callee's frame, or the one N further in",
      example: "down",
      takes: ["text"],
      run(session, [count = "1"]) {
        session.selectFrame(session.frameIndex - wholeNumber(count, "a count"));
        return selectedFrame(session);
      },
    },
    {
      name: "frame",
      aliases: ["frame select", "frame info", "f", "info frame"],
      usage: "[N]",
      help: "select frame N; without N, show the selected one",
      example: "frame 3",
      takes: ["frame"],
      run(session, [number]) {
        if (number !== undefined) session.selectFrame(wholeNumber(number, "a frame's number"));
        return selectedFrame(session);
      },
    },
    {
      name: "unwind",
      aliases: ["image show-unwind"],
      usage: "",
      help: "how the selected frame was found, and how its caller would be",
      example: "unwind",
      async run(session) {
        const { unwindPlan } = await import("../../mod.ts");
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
      aliases: ["register read", "info registers"],
      usage: "[name…]",
      help: "the registers that are known in the selected frame, or those named",
      example: "register read pc sp",
      takes: ["register"],
      options: ["--all"],
      run(session, args) {
        const wanted = args.filter((text) => !/^-/.test(text));
        const { registers } = session.frame;
        const size = pointerSize(session);
        if (wanted.length === 0) return registerLines(registers, size, session.style);
        return wanted.map((text) => {
          const name = registerName(session, text);
          const value = registers.get(name);
          if (value === undefined) return `${name}: not known in this frame`;
          const { image, symbol } = session.target.resolve(value);
          const what = image === null || symbol === null ? "" : `  ${place(session, value)}`;
          return `${name} ${session.style("address", hex(value, size))}${what}`;
        });
      },
    },
    {
      name: "register write",
      usage: "<register> <value> [--yes]",
      help: "write a register of the selected thread; shows old and new, and asks",
      example: "register write rax 0 --yes",
      takes: ["register", "address"],
      options: ["--yes"],
      async run(session, args) {
        const { rest: [text, value], ask } = withConsent(args);
        if (text === undefined || value === undefined) {
          throw new UserError("write what to which register? `register write <register> <value>`");
        }
        checkWritable(session, "registers");
        if (!session.target.paused) throw new UserError("the target is running: `pause` it first");
        if (session.frame.via !== "context" && session.frameIndex > 0) {
          throw new UserError("only the innermost frame's registers can be written: `frame 0`");
        }
        const name = registerName(session, text);
        const size = pointerSize(session);
        const old = session.frame.registers.get(name);
        const bits = 8 *
          session.target.arch.threadState.registers.find((register) => register.name === name)!
            .size;
        const next = BigInt.asUintN(bits, integer(value) ?? addressOf(session, value));
        const change = `${name}: ${old === undefined ? "?" : hex(old, size)} -> ${hex(next, size)}`;
        const thread = session.thread;
        if (!await ask(session, `thread ${thread.index}, ${change}: write it?`)) {
          return ["nothing was written"];
        }
        thread.setRegister(name, next);
        session.reselect();
        return [change];
      },
    },
    {
      name: "source",
      aliases: ["source list", "list", "l"],
      usage: "[file:line|line]",
      help: "the source around the selected frame, where the file is here",
      details: ["`source map <from> <to>` says where files are now that were built elsewhere."],
      example: "source",
      takes: ["file"],
      async run(session, [where]) {
        const { sourceLines } = await import("../view/source.ts");
        return sourceLines(session, where);
      },
    },
    {
      name: "source map",
      aliases: ["settings set target.source-map", "set substitute-path"],
      usage: "[<from> <to>]",
      help: "look for sources below another folder than they were built in",
      example: "source map /build/machine/src ./src",
      takes: ["text", "file"],
      run(session, [from, to]) {
        if (from !== undefined && to === undefined) throw new UserError("map it to which folder?");
        if (from !== undefined) session.sourceMap.push([from, to]);
        return session.sourceMap.map(([from, to]) => `${from} -> ${to}`);
      },
    },
  ],
};

/** The symbol and the offset at an address. */
function place(session: Session, address: bigint): string {
  return session.describe(address) ?? "";
}
