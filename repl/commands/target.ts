/** What to look at, and letting it go. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import type { LiveTarget } from "../../mod.ts";
import { UserError } from "../errors.ts";
import {
  attachOptions,
  coreOptions,
  demoOptions,
  gdbRemoteOptions,
  launchOptions,
  saveCoreOptions,
  selfOptions,
} from "../options.ts";
import { checkFolders, held, openCoreFile, openTarget } from "../prompt/open.ts";
import type { Session } from "../prompt/session.ts";
import { noteLines } from "../view/render.ts";
import { count, join } from "../view/text.ts";
import { type Command, command, type Lines, many, optional, required } from "./command.ts";
import { confirmed, yesOption } from "./values.ts";

/** What was found damaged or missing since it was last reported. */
export function warningLines(session: Session): SafeText[] {
  return session.newWarnings().map((text) =>
    session.style("quiet", safe`warning: ${escape(text)}`)
  );
}

/** What a core is of, and how it ended. Selects the thread that crashed. */
export async function coreLines(session: Session): Promise<SafeText[]> {
  const { core } = session;
  if (core === undefined) return [];
  const threads = count(core.threads.length, "thread");
  const lines = [safe`${session.title}: ${threads}, ${count(core.images.length, "image")}`];
  const crashed = core.crashedThread;
  if (crashed !== null) {
    session.selectThread(crashed.index);
    const { crash } = core;
    const told = crash && (await import("../prompt/crash.ts")).reasonOf(crash);
    const state = crashed.exception && escape(`${crashed.exception}`);
    const why = join([told, state].filter((text) => text !== null), ": ");
    lines.push(safe`thread ${crashed.index} crashed: ${session.style("warning", why)}`);
  }
  return [...lines, ...warningLines(session)];
}

/** The answer where the target was not to end. */
const kept = safe`nothing was done: \`detach\` first, and it runs on`;

/** Asks before the target is let go, where that ends a process that was launched from here.
 *
 * @returns whether it may end
 */
export async function mayEnd(session: Session): Promise<boolean> {
  if (!session.endsTarget || session.assumeYes || !session.ui.interactive) return true;
  try {
    session.checkAlive();
  } catch {
    return true;
  }
  return await session.ui.confirm(safe`${session.title} was launched from here: end it?`);
}

const coreStyles = saveCoreOptions.style.choices;

/** Commands about the target as a whole. */
export const target: readonly Command[] = [
  command({
    name: "attach",
    aliases: ["process attach"],
    group: "target",
    arguments: [optional("pid|name", "process")],
    options: attachOptions,
    changes: true,
    help: "attach to a running process; without a name, choose from a list",
    details: [
      "In the list, what is typed filters it; Up and Down choose, Enter attaches, Ctrl-C does not.",
      "`attach --wait NAME` waits until the next program of that name is started, and pauses it.",
    ],
    example: "attach MyApp",
    async run({ session }, [given], { pid, name, symbols, via, wait }) {
      const { chooseProcess, openStarted } = await import("../prompt/processes.ts");
      const spec = given ?? pid ?? name ??
        (wait ? undefined : await chooseProcess(session));
      if (spec === undefined) {
        if (wait) throw new UserError("wait for what? the name of a program");
        return [safe`no process was chosen`];
      }
      if (!await mayEnd(session)) return [kept];
      try {
        const controller = new AbortController();
        if (wait) session.interrupt = () => controller.abort();
        const { signal } = controller;
        const say = (text: SafeText) => session.say([text]);
        const opened = wait
          ? await openStarted(spec, { symbols, via, say, signal })
          : await openTarget(spec, symbols, via);
        if (opened === undefined) return [safe`the wait was ended: nothing was attached to`];
        session.open(opened);
        if (wait) session.pause();
      } catch (error) {
        const folders = (symbols ?? []).flatMap((folder) => ["--symbols", folder]);
        const { withRestart } = await import("../cli/restart.ts");
        throw await withRestart(error, ["attach", spec, ...folders]);
      }
      const state = session.target.paused ? safe`, paused` : safe``;
      return [safe`attached to ${session.title}${state}`, ...warningLines(session)];
    },
  }),
  command({
    name: "gdb-remote",
    aliases: ["target remote", "process connect"],
    group: "target",
    arguments: [required("host:port", "text")],
    options: gdbRemoteOptions,
    changes: true,
    help: "attach to the process of a debugserver, lldb-server or gdbserver",
    example: "gdb-remote localhost:1234",
    async run({ session }, [place], { symbols }) {
      if (!await mayEnd(session)) return [kept];
      session.open(await openTarget(`gdb-remote:${place.replace(/^connect:\/\//, "")}`, symbols));
      return [safe`attached to ${session.title}`, ...warningLines(session)];
    },
  }),
  command({
    name: "launch",
    aliases: ["process launch"],
    group: "target",
    arguments: [required("program", "file"), many("args", "file")],
    options: launchOptions,
    syntax: "program",
    changes: true,
    help: "start a program as the target; it ends with machpause",
    details: [
      "`detach` lets it run on, as --keep does from the start. What follows the program's name is its own:",
      "options of `launch` go before it.",
    ],
    example: "launch ./program --verbose",
    async run({ session }, [program, ...args], { symbols = [], keep = false, via }) {
      const { openLaunched, strayOptions } = await import("../prompt/launch.ts");
      checkFolders(symbols);
      if (!await mayEnd(session)) return [kept];
      const print = session.ui.interactive ? { print: session.show } : {};
      session.open(await openLaunched(program, args, { keep, via, ...print }));
      session.target.addSymbols(symbols);
      const stray = strayOptions(args);
      return [
        safe`launched ${session.title}`,
        ...(stray === undefined ? [] : [session.style("quiet", safe`(${escape(stray)})`)]),
      ];
    },
  }),
  command({
    name: "core",
    aliases: ["target core", "target create --core", "core-file"],
    group: "target",
    arguments: [required("file", "file"), many("folder", "file")],
    options: coreOptions,
    changes: true,
    help: "open a core file; its binaries are looked for in the folders too",
    example: "core MyApp.core ./build",
    async run({ session }, [file, ...folders], { symbols = [] }) {
      if (!await mayEnd(session)) return [kept];
      session.open(held(await openCoreFile(file, [...folders, ...symbols])));
      return coreLines(session);
    },
  }),
  command({
    name: "demo",
    group: "target",
    arguments: [optional("deadlock", ["deadlock"])],
    options: demoOptions,
    changes: true,
    help: "start the demo program, and pause it",
    details: ["`demo deadlock` is one whose threads wait for each other."],
    example: "demo",
    async run({ session }, [program], { symbols }) {
      if (!await mayEnd(session)) return [kept];
      session.open(await openTarget(program === undefined ? "demo" : `demo:${program}`));
      session.target.addSymbols(symbols ?? []);
      session.pause();
      return [safe`launched ${session.title}`];
    },
  }),
  command({
    name: "self",
    group: "target",
    options: selfOptions,
    changes: true,
    help: "look at machpause's own process, in snapshots",
    example: "self",
    async run({ session }, _words, { symbols }) {
      if (!await mayEnd(session)) return [kept];
      session.open(await openTarget("self", symbols));
      return [session.title];
    },
  }),
  command({
    name: "status",
    aliases: [
      "process status",
      "info program",
      "info proc",
      "info inferiors",
      "info inferior",
      "target list",
    ],
    group: "target",
    help: "what the target is, and what it is doing",
    example: "status",
    run({ session }) {
      const { target, core } = session;
      if (core !== undefined) return coreLines(session);
      session.checkAlive();
      const state = session.stateText;
      const threads = session.threads(true);
      const running = threads.filter(({ state }) => state === "running").length;
      const total = count(threads.length, "thread");
      const suspended = threads.filter(({ suspendCount }) => suspendCount > 0).length;
      const alone = suspended === 0 ? safe`` : safe`, ${suspended} suspended`;
      const images = count(target.images.length, "image");
      return [
        safe`${session.title}: ${state}, ${total} (${running} on a CPU${alone}), ${images}`,
        ...warningLines(session),
      ];
    },
  }),
  command({
    name: "crash",
    aliases: ["crash report", "report"],
    group: "target",
    arguments: [optional("file", "file")],
    usage: "",
    options: { brief: { help: "What it says alone, without the report." } },
    help: "the target's crash report as of now, and what it says",
    details: [
      "At a crash of a program that was launched, or in a core. `machpause crash` reads reports.",
    ],
    example: "crash",
    async run({ session }, [file], { brief }) {
      if (file !== undefined) {
        throw new UserError(`\`machpause crash ${file}\`, in the shell, reads reports`);
      }
      session.checkAlive();
      return await (await import("../prompt/crash.ts")).reportLines(session, brief);
    },
  }),
  command({
    name: "notes",
    group: "target",
    help: "the notes of a core: what it says beside memory and threads",
    example: "notes",
    run({ session }) {
      const core = session.core;
      if (core === undefined) {
        throw new UserError("only cores have notes: `core <file>` opens one");
      }
      return noteLines(core);
    },
  }),
  command({
    name: "savecore",
    aliases: ["process save-core", "gcore", "generate-core-file"],
    group: "target",
    arguments: [required("file", "file"), optional("style", coreStyles)],
    options: saveCoreOptions,
    help: "save the target as a core file; `stacks` without a style",
    example: "savecore /tmp/MyApp.core dirty",
    async run({ session }, [file, given], options): Promise<Lines> {
      const style = options.style ?? coreStyles.find((style) => style === given) ?? "stacks";
      const { savedLine, saveCoreFile } = await import("../prompt/save_core.ts");
      const saved = await saveCoreFile(session.target, file, { ...options, style }, (giveUp) => {
        session.interrupt = giveUp;
      });
      return [savedLine(saved), ...saved.warnings.map((text) => safe`warning: ${escape(text)}`)];
    },
  }),
  command({
    name: "detach",
    aliases: ["process detach"],
    group: "target",
    changes: true,
    help: "let the target go; it runs on, also one that was launched from here",
    example: "detach",
    run({ session }) {
      const { title, endsTarget, ui, core } = session;
      session.close(true);
      if (core !== undefined) return [safe`closed the core of ${escape(core.name)}`];
      const output = endsTarget && ui.interactive
        ? safe`; what it prints is shown until machpause ends`
        : safe``;
      return [safe`detached from ${title}${output}`];
    },
  }),
  command({
    name: "kill",
    aliases: ["process kill", "k"],
    group: "target",
    options: { yes: yesOption },
    changes: true,
    help: "end a process that was launched from here; asks",
    example: "kill",
    async run({ session }, _words, { yes }) {
      const { target, title } = session;
      const { wasLaunched } = await import("../../ffi/processes.ts");
      if (target.kind !== "remote" && !wasLaunched(target)) {
        throw new UserError("only what was launched from here can be ended: `detach` lets it go");
      }
      if (!await confirmed(session, yes, safe`end ${title}?`)) return [safe`it was not ended`];
      try {
        (target as unknown as LiveTarget).kill();
      } catch (error) {
        // Of another stub's.
        if (!(error instanceof TypeError)) throw error;
        throw new UserError("only what was launched from here can be ended: `detach` lets it go");
      }
      session.close();
      return [safe`ended ${title}`];
    },
  }),
];
