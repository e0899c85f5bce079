/** What to look at, and letting it go. */
import { escape } from "../../lib/escape.ts";
import type { CoreStyle, LiveTarget } from "../../mod.ts";
import { UserError } from "../errors.ts";
import { checked, saveCoreOptions } from "../options.ts";
import { held, openCoreFile, openTarget } from "../prompt/open.ts";
import { noteLines } from "../view/render.ts";
import type { Session } from "../prompt/session.ts";
import { parseOptions, withConsent } from "./arguments.ts";
import type { Family } from "./command.ts";

/** What was found damaged or missing since it was last said. */
export function warningLines(session: Session): string[] {
  return session.newWarnings().map((text) => session.style("quiet", `warning: ${escape(text)}`));
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

/** Commands about the target as a whole. */
export const target: Family = {
  title: "Targets",
  commands: [
    {
      name: "attach",
      aliases: ["process attach"],
      usage: "<pid|name>",
      help: "take hold of a running process",
      example: "attach MyApp",
      takes: ["process"],
      async run(session, args) {
        const { options, rest } = parseOptions(
          args,
          { pid: "value", name: "value" },
          { p: "pid", n: "name" },
        );
        const spec = options.pid ?? options.name ?? rest[0];
        if (spec === undefined) throw new UserError("attach to what? a pid or a process name");
        session.open(await openTarget(spec));
        return [`attached to ${session.target}`];
      },
    },
    {
      name: "launch",
      aliases: ["process launch"],
      usage: "<program> [args…]",
      help: "start a program and take hold of it",
      example: "launch ./program --verbose",
      takes: ["file"],
      async run(session, [program, ...args]) {
        if (program === undefined) throw new UserError("launch what? the path of a program");
        const { openLaunched } = await import("../prompt/launch.ts");
        session.open(await openLaunched(program, args));
        return [`launched ${session.target}`];
      },
    },
    {
      name: "core",
      aliases: ["target core", "target create --core", "core-file"],
      usage: "<file> [folder…]",
      help: "open a core; its binaries are looked for in the folders too",
      example: "core MyApp.core ./build",
      takes: ["file"],
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
      example: "demo",
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
      example: "self",
      async run(session) {
        session.open(await openTarget("self"));
        return [`${session.target}`];
      },
    },
    {
      name: "status",
      aliases: ["process status", "info program", "target list"],
      usage: "",
      help: "what the target is, and what it is doing",
      example: "status",
      run(session) {
        const { target, core } = session;
        if (core !== undefined) return coreLines(session);
        const threads = session.threads(true);
        const running = threads.filter(({ state }) => state === "running").length;
        const images = target.images.length === 1 ? "1 image" : `${target.images.length} images`;
        const state = target.paused ? "paused" : "running";
        return [
          `${target}: ${state}, ${threads.length} threads (${running} on a CPU), ${images}`,
          ...warningLines(session),
        ];
      },
    },
    {
      name: "notes",
      usage: "",
      help: "what else a core says",
      example: "notes",
      run(session) {
        const core = session.core;
        if (core === undefined) {
          throw new UserError("only cores have notes: `core <file>` opens one");
        }
        return noteLines(core);
      },
    },
    {
      name: "savecore",
      aliases: ["process save-core", "gcore", "generate-core-file"],
      usage: "<file> [stacks|dirty|full]",
      help: "save the target as a core file; without a style, what backtraces need",
      example: "savecore /tmp/MyApp.core dirty",
      takes: ["file", ["stacks", "dirty", "full"]],
      async run(session, [file, style = "stacks"]) {
        if (file === undefined) throw new UserError("save the core as what? the path of a file");
        const { savedLine, saveCoreFile } = await import("../prompt/save_core.ts");
        checked("style", saveCoreOptions.style, style);
        const saved = await saveCoreFile(session.target, file, style as CoreStyle, (giveUp) => {
          session.interrupt = giveUp;
        });
        return [savedLine(saved), ...saved.warnings.map((text) => `warning: ${escape(text)}`)];
      },
    },
    {
      name: "detach",
      aliases: ["process detach"],
      usage: "",
      help: "let the target go; it runs on",
      example: "detach",
      run(session) {
        const name = `${session.target}`;
        session.close();
        return [`detached from ${name}`];
      },
    },
    {
      name: "kill",
      aliases: ["process kill", "k"],
      usage: "[--yes]",
      help: "end a process that was launched from here",
      example: "kill",
      options: ["--yes"],
      async run(session, args) {
        const { target } = session;
        const { ask } = withConsent(args);
        const name = `${target}`;
        if (!await ask(session, `end ${name}?`)) return ["it lives on"];
        try {
          (target as Partial<LiveTarget>).kill!();
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          throw new UserError("only what was launched from here can be ended: `detach` lets it go");
        }
        session.close();
        return [`ended ${name}`];
      },
    },
  ],
};
