import { Command } from "@cliffy/command";
import manifest from "../../deno.json" with { type: "json" };
import {
  attachAction,
  backtraceAction,
  coreAction,
  crashAction,
  demangleAction,
  demoAction,
  imageAction,
  indexAction,
  launchAction,
  promptAction,
  saveCoreAction,
  scriptAction,
  selfAction,
  setupAction,
  stackshotAction,
  symbolicateAction,
} from "./actions.ts";
import { UserError } from "../errors.ts";

const symbolsHelp = "Where binaries, dSYMs and symbol table files are; may be repeated.";
const evalHelp = "Run a line as the prompt would, and leave; may be repeated.";
const yesHelp = "Make changes without being asked for.";
const initHelp = "Without the startup file.";

/** Heeds `--color` and `--theme`.
 *
 * @throws UserError when they are none that there is
 */
async function chooseLooks(color: string | undefined, theme: string | undefined): Promise<void> {
  if (color === undefined && theme === undefined) return;
  const { themes, useColour, useTheme } = await import("../view/style.ts");
  if (color !== undefined) {
    const when = (["auto", "always", "never"] as const).find((when) => when === color);
    if (when === undefined) throw new UserError(`--color ${color}: auto, always or never`, 2);
    useColour(when);
  }
  if (theme !== undefined) {
    const known = themes.find((known) => known === theme);
    if (known === undefined) throw new UserError(`--theme ${theme}: ${themes.join(", ")}`, 2);
    useTheme(known);
  }
}

const script = /\.[cm]?[jt]s$/;

/** Runs one command line of at least one word.
 *
 * @returns the code to exit with; `undefined` where the program ends by itself
 * @throws ValidationError of `@cliffy/command` for a wrong one
 */
export async function runCommandLine(args: readonly string[]): Promise<number | undefined> {
  let code: number | undefined = 0;
  /** Lets an action's answer be the program's. */
  const answer = async (action: Promise<number | undefined>) => {
    code = await action;
  };

  const program = new Command()
    .name("machpause")
    .version(manifest.version)
    .description(
      "Pauses the threads of a process and shows what each one is doing.\n" +
        "Without a command: the prompt. A script is run as `run` does.",
    )
    .usage("[SCRIPT|COMMAND]")
    .help({ colors: Deno.stdout.isTerminal() && !Deno.noColor })
    .noExit()
    .globalOption("--color <when:string>", "auto, always or never; auto heeds NO_COLOR.")
    .globalOption("--theme <name:string>", "Colours: dark, light, both or none.")
    .globalAction(({ color, theme }) => chooseLooks(color, theme))
    .option("-e, --eval <code:string>", evalHelp, { collect: true })
    .option("--yes", yesHelp)
    .option("--no-init", initHelp)
    .example("A command or TypeScript", "machpause attach MyApp -e 'bt all' -e 'threads.length'")
    .action((options) => answer(promptAction(options)))
    .command(
      "attach",
      new Command()
        .description("Take hold of a running process, at the prompt.")
        .arguments("<target:string>")
        .option("--symbols <folder:string>", symbolsHelp, { collect: true })
        .option("-e, --eval <code:string>", evalHelp, { collect: true })
        .option("--yes", yesHelp)
        .option("--no-init", initHelp)
        .action((options, target) => answer(attachAction(target, options))),
    )
    .command(
      "launch",
      new Command()
        .description("Start a program, at the prompt; on Linux a Mach-O one through the loader.")
        .arguments("<program:string> [args...:string]")
        .option("--symbols <folder:string>", symbolsHelp, { collect: true })
        .option("-e, --eval <code:string>", evalHelp, { collect: true })
        .option("--yes", yesHelp)
        .option("--no-init", initHelp)
        .stopEarly()
        .action((options, program, ...args) => answer(launchAction(program, args, options))),
    )
    .command(
      "core",
      new Command()
        .description("Open a Mach-O core file, at the prompt.")
        .arguments("<file:string>")
        .option("--symbols <folder:string>", symbolsHelp, { collect: true })
        .option("--json", "Print what the core says of itself, as one JSON object.")
        .option("-e, --eval <code:string>", evalHelp, { collect: true })
        .option("--no-init", initHelp)
        .example("With binaries from elsewhere", "machpause core MyApp.core --symbols ./build")
        .action((options, file) => answer(coreAction(file, options))),
    )
    .command(
      "self",
      new Command()
        .description("This very process, at the prompt.")
        .option("--symbols <folder:string>", symbolsHelp, { collect: true })
        .option("-e, --eval <code:string>", evalHelp, { collect: true })
        .option("--no-init", initHelp)
        .action((options) => answer(selfAction(options))),
    )
    .command(
      "demo",
      new Command()
        .description("A paused demo process, at the prompt; without a terminal, its stacks.")
        .option("--symbols <folder:string>", symbolsHelp, { collect: true })
        .option("-e, --eval <code:string>", evalHelp, { collect: true })
        .option("--yes", yesHelp)
        .option("--no-init", initHelp)
        .action((options) => answer(demoAction(options))),
    )
    .command(
      "run",
      new Command()
        .description("Run a script with the API in scope.")
        .arguments("<script:string> [args...:string]")
        .stopEarly()
        .action((_options, script, ...args) => answer(scriptAction(script, args))),
    )
    .command(
      "bt",
      new Command()
        .description("Pause, print every thread's backtrace, resume.")
        .arguments("<target:string>")
        .option("--json", "Print one JSON object.")
        .option("--limit <frames:integer>", "At most so many frames of each thread.")
        .option("--scan", "Where nothing else finds a caller, guess: scan the stack for one.")
        .option("--no-demangle", "Names as the linker knows them.")
        .option("--symbols <folder:string>", symbolsHelp, { collect: true })
        .example("A process by pid", "machpause bt pid:123")
        .example("By name, for a program", "machpause bt MyApp --json")
        .example("A core file", "machpause bt core:MyApp.core")
        .action((options, target) => answer(backtraceAction(target, "pause", options))),
    )
    .command(
      "snapshot",
      new Command()
        .description("Capture every thread in one short stop; print them while it runs on.")
        .arguments("<target:string>")
        .option("--json", "Print one JSON object.")
        .option("--limit <frames:integer>", "At most so many frames of each thread.")
        .option("--scan", "Where nothing else finds a caller, guess: scan the stack for one.")
        .option("--no-demangle", "Names as the linker knows them.")
        .option("--symbols <folder:string>", symbolsHelp, { collect: true })
        .action((options, target) => answer(backtraceAction(target, "snapshot", options))),
    )
    .command(
      "savecore",
      new Command()
        .description("Save a process as a core file, which LLDB opens too. It runs on.")
        .arguments("<target:string> <file:string>")
        .option(
          "--style <style:string>",
          "stacks: what backtraces need (default). dirty: with all written memory. full: all.",
        )
        .option("--json", "Print one JSON object.")
        .example("With the heap", "machpause savecore MyApp MyApp.core --style dirty")
        .action((options, target, file) => answer(saveCoreAction(target, file, options))),
    );
  program.command(
    "image",
    new Command()
      .description("What a Mach-O file says of itself: a summary, or the lists asked for.")
      .arguments("<file:string>")
      .option("--arch <name:string>", "Only this architecture of a universal file; else all.")
      .option("--load-commands", "Every load command with its fields.")
      .option("--sections", "Sections with types and attributes.")
      .option("--symbols", "The symbol table, as `nm -n` prints it.")
      .option("--stabs", "With --symbols: the debugger's entries too.")
      .option("--indirect", "The symbols of stubs and symbol pointers.")
      .option("--function-starts", "Where functions begin.")
      .option("--exports", "The export trie.")
      .option("--fixups", "Rebases and binds, chained or classic.")
      .option("--objc", "Objective-C classes, categories and methods.")
      .option("--swift", "Swift types and protocols.")
      .option("--all", "The summary and all lists.")
      .option("--json", "Print one JSON object.")
      .example("One screen about a file", "machpause image MyApp")
      .example("Its symbols", "machpause image MyApp --arch arm64 --symbols")
      .action((options, file) => answer(imageAction(file, options))),
  );
  program.command(
    "crash",
    new Command()
      .description(
        "Explain crash reports: .crash, .ips, what sample and spindump print; folders of them too.",
      )
      .arguments("<files...:string>")
      .option("--symbols <folder:string>", symbolsHelp, { collect: true })
      .option("--mine <name:string>", "A library that is yours: is it to blame? May be repeated.", {
        collect: true,
      })
      .option("--begin <place:string>", "Where its code in the program begins: a symbol or 0x….")
      .option("--end <place:string>", "And where it ends.")
      .option("--text", "Only the report, as crash text.")
      .option("--ips", "Only the report, as .ips.")
      .option("--out <file:string>", "Write it there.")
      .option("--group", "Sort many by what crashed.")
      .option("--json", "Print one JSON object for each.")
      .example("With its symbols", "machpause crash MyApp.ips --symbols MyApp.dSYM")
      .example("What crashes most", "machpause crash reports --group --symbols store")
      .action((options, ...files) => answer(crashAction(files, options))),
  );
  program.command(
    "index",
    new Command()
      .description("Make symbol table files of dSYMs and of binaries with debug information.")
      .arguments("<files...:string>")
      .option(
        "-o, --output <path:string>",
        "The folder that they are put in, or NAME.mst for a single one.",
      )
      .option("--arch <name:string>", "Only this architecture; else all.")
      .option("--jobs <count:integer>", "So many workers; else as many as pay.")
      .option("--force", "Make anew what is there already.")
      .option("--json", "Print one JSON object.")
      .example("A dSYM", "machpause index MyApp.app.dSYM -o symbols")
      .example("And use it", "machpause symbolicate -o MyApp --symbols symbols 0x104a3f721")
      .action((options, ...files) => answer(indexAction(files, options))),
  );
  program.command(
    "symbolicate",
    new Command()
      .description(
        "Tell what is at addresses, with the flags and in the words of atos.\n" +
          "Without addresses they are read from stdin, and answered as they come.",
      )
      .arguments("[addresses...:string]")
      .option(
        "-o, --object <file:string>",
        "A Mach-O file, a dSYM, or a symbol table file; may be repeated.",
        { collect: true },
      )
      .option("--arch <name:string>", "Which image of a universal file.")
      .option(
        "-l, --load-address <address:string>",
        "Where the image was loaded; one for each -o.",
        {
          collect: true,
        },
      )
      .option("-s, --slide <bytes:string>", "By how much the image was slid; one for each -o.", {
        collect: true,
      })
      .option("--offset", "Addresses are offsets in the image.")
      .option("-p, --process <target:string>", "A running process, by pid or name.")
      .option("-i, --inlines", "All functions that were inlined at an address.")
      .option("-d, --delimiter <text:string>", "What stands between these; else a new line.")
      .option("--full-path", "Whole paths of source files.")
      .option("-f, --file <file:string>", "Read the addresses from a file.")
      .option("--filter", "Copy a text, and replace the addresses in it.")
      .option("--symbols <folder:string>", symbolsHelp, { collect: true })
      .option("--no-demangle", "Names as the linker knows them.")
      .option("--json", "Print one JSON object for each address.")
      .example("As with atos", "machpause symbolicate -o MyApp.dSYM -l 0x104a3c000 0x104a3f721")
      .example("A log", "machpause symbolicate -o MyApp.dSYM -l 0x104a3c000 --filter < log")
      .action((options, ...addresses) => answer(symbolicateAction(options, addresses))),
  );
  program.command(
    "stackshot",
    new Command()
      .description(
        "What a stackshot says, or on macOS one taken now, of a process or of all: every thread in " +
          "user space and in the kernel, and what it waits for.",
      )
      .arguments("[target:string]")
      .option("--pid <pid:integer>", "Only this process.")
      .option("--base <file:string>", "The stackshot that a delta one is against.")
      .option("--symbols <folder:string>", symbolsHelp, { collect: true })
      .option("--limit <frames:integer>", "At most so many frames of each stack.")
      .option("--no-demangle", "Names as the linker knows them.")
      .option("--json", "Print one JSON object.")
      .example("A file", "machpause stackshot hang.kcdata --symbols ./symbols")
      .example("A process, now", "sudo machpause stackshot 123")
      .action((options, what) => answer(stackshotAction(what, options))),
  );
  program.command(
    "demangle",
    new Command()
      .description("Tell what Swift, C++ and Rust names say; without names, in a text on stdin.")
      .arguments("[names...:string]")
      .option("--full", "All of it: modules, types, specializations.")
      .option("--json", "Print one JSON object a line.")
      .example("A name", "machpause demangle '$s4main3fooyySiF'")
      .example("A text", "nm MyApp | machpause demangle")
      .action((options, ...names) => answer(demangleAction(options, names))),
  );
  if (Deno.build.os === "darwin") {
    program.command(
      "setup",
      new Command()
        .description("Sign a private copy of Deno, so that it may attach without root.")
        .arguments("[directory:string]")
        .option("--yes", "Ask nothing.")
        .action((options, directory) => answer(setupAction(options, directory))),
    );
  }
  const written = args[0] === "symbolicate"
    ? (await import("./symbolicate/arguments.ts")).translateArguments(args)
    : args;
  await program.parse(script.test(args[0]) ? ["run", ...args] : [...written]);
  return code;
}
