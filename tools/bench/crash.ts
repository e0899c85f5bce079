/** `crash`: one report of 400 threads with a warm store, and 10,000 reports sorted by what crashed. */
import { Image } from "../../lib/macho/mod.ts";
import { command, compare, entry, rows } from "./measure.ts";

const REPORTS = 10_000;
const THREADS = 400;
const fixture = new URL("../../examples/demo/arm64/", import.meta.url).pathname;

/** The system's images of a report, which are most of what it lists. */
const systemImages = Array.from({ length: 350 }, (_, index) => {
  const base = 0x180000000 + index * 0x100000;
  const uuid = (0x1000 + index).toString(16).padStart(32, "a");
  return `0x${base.toString(16)} - 0x${
    (base + 0xfffff).toString(16)
  } Kit${index} arm64e  <${uuid}> ` +
    `/System/Library/Frameworks/Kit${index}.framework/Kit${index}`;
});

/** Where the demo's functions are, from its load address. */
function functions(): { uuid: string; offsets: number[] } {
  const image = Image.fromFile(Deno.readFileSync(`${fixture}demo`), "demo");
  const offsets: number[] = [];
  for (const name of ["main", "run_loop", "wait_for_event", "worker_spin", "worker_lock"]) {
    for (const { address } of image.findSymbols(name)) offsets.push(image.toOffset(address) + 4);
  }
  return { uuid: image.uuid!, offsets };
}

/** A report as a device would write it: no names in the program, names in the system. */
function makeReport(
  { uuid, offsets }: ReturnType<typeof functions>,
  number: number,
  threads: number,
  frames: number,
): string {
  const base = 0x100000000 + (number * 7919 % 4096) * 0x4000;
  const hex = (value: number): string => `0x${value.toString(16).padStart(16, "0")}`;
  const line = (index: number, seed: number): string => {
    const head = String(index).padEnd(3);
    if (seed % 3 === 0) {
      const offset = offsets[seed % offsets.length];
      return `${head} demo                          \t${hex(base + offset)} 0x${
        base.toString(16)
      } + ${offset}`;
    }
    const kit = seed % systemImages.length;
    const at = 0x180000000 + kit * 0x100000 + 0x1000 + seed % 977;
    return `${head} ${`Kit${kit}`.padEnd(30)}\t${hex(at)} -[KitObject${kit} method${
      seed % 50
    }:] + ${seed % 977}`;
  };
  const lines = [
    `Incident Identifier: 00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    `Hardware Model:      iPhone${10 + number % 6},${1 + number % 4}`,
    `Process:             demo [${number}]`,
    "Path:                /private/var/containers/Bundle/Application/demo.app/demo",
    "Identifier:          com.example.demo",
    `Version:             1.${number % 5} (${number % 5})`,
    "Code Type:           ARM-64 (Native)",
    "",
    `Date/Time:           2024-0${1 + number % 9}-1${number % 10} 10:11:12.0000 +0000`,
    `OS Version:          iPhone OS 17.${number % 5} (21A${number % 5})`,
    "Report Version:      104",
    "",
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000010",
    "Triggered by Thread:  0",
    "",
  ];
  for (let thread = 0; thread < threads; thread++) {
    lines.push(`Thread ${thread}${thread === 0 ? " Crashed" : ""}:`);
    // Five different crashes: as many as there are functions.
    const seed = thread === 0 ? number % 20 : number + thread;
    for (let frame = 0; frame < frames; frame++) lines.push(line(frame, seed * 31 + frame));
    lines.push("");
  }
  lines.push("Binary Images:");
  lines.push(
    `0x${base.toString(16)} - 0x${(base + 0xffff).toString(16)} demo arm64  ` +
      `<${
        uuid.replaceAll("-", "").toLowerCase()
      }> /private/var/containers/Bundle/Application/demo.app/demo`,
  );
  lines.push(...systemImages, "", "EOF", "");
  return lines.join("\n");
}

async function run(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", entry, ...args],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Seconds and the most memory, in MB, that a command takes. */
async function measured(...args: string[]): Promise<{ seconds: number; peak: number }> {
  const began = performance.now();
  const { success, stderr } = await new Deno.Command("/usr/bin/time", {
    args: ["-f", "%M", Deno.execPath(), "run", "-A", entry, ...args],
    stdout: "null",
    stderr: "piped",
  }).output();
  const text = new TextDecoder().decode(stderr);
  if (!success) throw new Error(text);
  const peak = Number(text.trim().split("\n").at(-1)) / 1024;
  return { seconds: (performance.now() - began) / 1000, peak };
}

/** Prints Markdown. */
export async function bench(): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const store = `${folder}/store`;
    await Deno.mkdir(store);
    await run("index", `${fixture}demo.dSYM`, "-o", store);
    const known = functions();

    const large = `${folder}/large.crash`;
    await Deno.writeTextFile(large, makeReport(known, 1, THREADS, 30));
    const timings = await compare([
      command(`\`crash --text\`, ${THREADS} threads`, Deno.execPath(), [
        ...["run", "-A", entry, "crash", large, "--text", "--symbols", store],
      ], "demo.c:"),
      command("`--version`", Deno.execPath(), ["run", "-A", entry, "--version"], "."),
    ], 15);
    console.log("| command | median | range | ratio |\n|---|---|---|---|");
    console.log(rows(timings));

    const many = `${folder}/many`;
    await Deno.mkdir(many);
    let bytes = 0;
    for (let number = 0; number < REPORTS; number++) {
      const text = makeReport(known, number, 12, 18);
      bytes += text.length;
      await Deno.writeTextFile(`${many}/${number}.crash`, text);
    }
    const few = `${folder}/few`;
    await Deno.mkdir(few);
    for (let number = 0; number < REPORTS / 10; number++) {
      await Deno.copyFile(`${many}/${number}.crash`, `${few}/${number}.crash`);
    }
    const arguments_ = ["--group", "--symbols", store];
    const groups = await run("crash", many, ...arguments_);
    if (!groups.includes(`${REPORTS} reports, 5 signatures`)) throw new Error(groups);
    console.log(
      `\n${REPORTS} reports of ${Math.round(bytes / REPORTS / 1000)} KB, 5 signatures found:\n`,
    );
    console.log("| reports | time | memory |\n|---|---|---|");
    for (const [count, path] of [[REPORTS / 10, few], [REPORTS, many]] as const) {
      const { seconds, peak } = await measured("crash", path, ...arguments_);
      console.log(`| ${count} | ${seconds.toFixed(1)} s | ${peak.toFixed(0)} MB |`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await bench();
