/** `machpause record` as a person runs it, and as one kills it. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { attach } from "../../../mod.ts";
import { readProfile } from "../../../lib/profile/formats.ts";
import {
  functionName,
  functionWeights,
  type Profile,
  sampleCount,
} from "../../../lib/profile/mod.ts";
import { readReport } from "../../../lib/report/mod.ts";
import { buildDirectory, Program, until } from "../../ffi/program.ts";
import { onLinux } from "../../machine.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const ignore = !onLinux;

function command(args: readonly string[], options: Partial<Deno.CommandOptions> = {}) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "record", ...args],
    ...options,
  });
}

async function machpause(...args: string[]): Promise<[number, string, string]> {
  const { code, stdout, stderr } = await command(args).output();
  const text = new TextDecoder();
  return [code, text.decode(stdout), text.decode(stderr)];
}

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

/** The functions that a profile is about. */
function functionsOf(profile: Profile): string[] {
  return functionWeights(profile).map((row) => functionName(profile, row.function));
}

async function read(path: string): Promise<Profile> {
  return await readProfile(await Deno.readFile(path), path);
}

/** How many threads of a journal have waited. The busy one does that, too, for a CPU. */
function waiting(journal: string): number {
  if (!has(journal, /,0,2\]/)) return 0;
  // The last number is the state.
  const rows = Deno.readTextFileSync(journal).matchAll(/"sample",(\d+),.*,0,2\]/g);
  return new Set([...rows].map(([, thread]) => thread)).size;
}

/** Whether a file has text; false while there is none. */
function has(path: string, text: string | RegExp): boolean {
  try {
    return Deno.readTextFileSync(path).search(text) >= 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test({
  name: "record: a process for a time, a program from its start, and what can be wrong",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    await using target = await Program.start("burn", "3");
    const pid = `${target.pid}`;
    try {
      const path = `${folder}/a.speedscope.json`;
      const args = ["--duration", "0.5", "--rate", "200", "--threads", "burner"];
      // On a busy machine it may have no turn in half a second, or a few, each in another function.
      const record = async () => {
        const [code, stdout, stderr] = await machpause(pid, "-o", path, ...args);
        assertEquals([code, stderr], [0, ""]);
        const functions = functionsOf(await read(path));
        return functions.some((name) => /^(burn_|deep$|work$)/.test(name)) ? stdout : "";
      };
      let stdout = "";
      for (let round = 0; stdout === "" && round < 20; round++) stdout = await record();
      const end = String.raw`(, \d+ samples? lost)?; median delay \d+ µs\n$`;
      assertMatch(stdout, new RegExp(String.raw`: [\d,]+ stacks? of 1 thread in 0\.\d s${end}`));

      // The program crashes at once: with it ends the recording. It is found as a shell finds it.
      const other = `${folder}/b.json.gz`;
      const run = await machpause("-o", other, "--", "sh", "-c", "kill -SEGV $$");
      assertEquals([run[0], run[2]], [0, "machpause: sh: it crashed: SIGSEGV\n"]);
      assertEquals(names(folder), ["a.speedscope.json", "b.json.gz"]);

      const none = ["--threads", "none", "--duration", ".1", "-f", "pprof", "-o", `${folder}/n`];
      const [absent, told, complaint] = await machpause(pid, ...none);
      assertMatch(told, /: 0 stacks .*: there is no thread none\n$/);
      // It may be a typing error: said before anything is waited for, and in the exit code.
      assertEquals(absent, 1);
      assertMatch(complaint, /^machpause: there is no thread none now: .*these are: .*burner.*\n$/);

      // A shell's program is another process.
      const shell = ["-o", `${folder}/sh.json.gz`, "-d", "2", "--", "sh", "-c", "sleep 4; true"];
      assertMatch(
        (await machpause(...shell))[2],
        /^machpause: sh has started sleep \(pid \d+\), which the profile does not have: /m,
      );
      await Deno.remove(`${folder}/sh.json.gz`);

      // `-` is standard output, which has the profile alone, and no file's name.
      const out = ["--duration", "0.1", "-f", "collapsed", "--off-cpu", "-o", "-"];
      const piped = await machpause(pid, ...out);
      assertEquals(piped[0], 0, piped[2]);
      assertMatch(piped[1], /^(?:\[.* tid=\d+\];.* \d+\n)+$/);
      assertMatch(piped[2], /^standard output: [\d,]+ stacks? of /);
      assertEquals(
        await Array.fromAsync(Deno.readDir("."), ({ name }) => name).then((all) =>
          all.filter((name) => name === "-" || name.endsWith(".mprec"))
        ),
        [],
      );

      const sleeper = new Deno.Command("sleep", { args: ["600"] }).spawn();
      try {
        const args = [`${sleeper.pid}`, "--duration", "0.2", "-o", `${folder}/c.folded`];
        assertMatch((await machpause(...args))[1], /: 0 stacks .*no thread ran; --off-cpu/);
      } finally {
        sleeper.kill("SIGKILL");
        await sleeper.status;
      }

      const wrong: [code: number, args: string[], reason: string][] = [
        [2, [pid, "-o", `${folder}/x.what`], "--format"],
        [2, [pid, "--rate", "fast"], "a number from 0.1 to 10000"],
        [2, [pid, "--duration", "0"], "a number from"],
        [2, ["self"], "a live process"],
        [2, [pid, "--keep"], "after `--`"],
        [2, ["--"], "no program after"],
        [1, ["--", "/none/such"], "there is no program"],
        [1, [pid, "-o", `${folder}/none/a.json`], "cannot be written"],
      ];
      for (const [expected, args, reason] of wrong) {
        const [code, stdout, stderr] = await machpause(...args);
        assertEquals([code, stdout], [expected, ""], args.join(" "));
        assertMatch(stderr, /^machpause: [^\n]+\n$/);
        assertStringIncludes(stderr, reason);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "record: a program waits at its start until it is sampled",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(
        `${folder}/early.c`,
        `#include <time.h>
        #include <unistd.h>
        static long spent(void) {
          struct timespec time;
          clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
          return time.tv_sec * 1000 + time.tv_nsec / 1000000;
        }
        __attribute__((noinline)) void early_burn(void) { while (spent() < 20); }
        int main(void) { early_burn(); sleep(1); return 0; }`,
      );
      const { success } = await new Deno.Command("cc", {
        args: ["-O1", "early.c", "-o", "early"],
        cwd: folder,
      }).output();
      assert(success);
      const path = `${folder}/a.json`;
      const args = ["--rate", "1000", "--threads", "main", "-o", path, "--", `${folder}/early`];
      const [code, , stderr] = await machpause(...args);
      assertEquals([code, stderr], [0, "machpause: early: it exited with code 0\n"]);
      const profile = await read(path);
      const functions = functionsOf(profile);
      assert(functions.includes("early_burn"), `${functions}`);
      // Nothing is of the shell that starts it, and the time is the program's.
      assert(profile.images.every(({ name }) => name !== "dash"));
      assertEquals(profile.processes.map(({ name }) => name), ["early"]);
      assertEquals(profile.threads.map(({ name }) => name), ["early"]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "record: Ctrl-C keeps everything; after kill -9 the target runs on and the journal reads",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    await using program = await Program.start("burn", "3");
    const path = `${folder}/a.json.gz`;
    const journal = `${path}.mprec`;
    const args = [`${program.pid}`, "-o", path, "--off-cpu", "--rate", "500"];
    const start = async () => {
      const child = command(args, { stdout: "null", stderr: "piped" }).spawn();
      await until(() => waiting(journal) > 1, "samples in the journal");
      return child;
    };
    try {
      const first = await start();
      first.kill("SIGINT");
      assertEquals((await first.output()).code, 0);
      assertEquals(names(folder), ["a.json.gz"]);
      assert(functionsOf(await read(path)).includes("burn_most"));
      await Deno.remove(path);

      // The demo would end this process by the same signal.
      const demo = command(["demo", "-o", path, "--rate", "200"], {
        stdout: "null",
        stderr: "piped",
      }).spawn();
      await until(() => has(journal, /"sample",.*,1\]/), "samples of the demo in the journal");
      demo.kill("SIGINT");
      assertEquals((await demo.output()).code, 0);
      assert(functionsOf(await read(path)).includes("spin_inner"));

      // Before a sample is in it, the journal is one.
      const slow = ["--rate", "0.5", "--off-cpu", "-o", path];
      const early = command([`${program.pid}`, ...slow], { stdout: "null", stderr: "null" })
        .spawn();
      await until(() => has(journal, /./), "a journal");
      early.kill("SIGKILL");
      await early.status;
      assertEquals(sampleCount(await read(journal)), 0);
      await Deno.remove(journal);

      const second = await start();
      second.kill("SIGKILL");
      await second.output();
      const kept = await read(journal);
      assert(functionsOf(kept).includes("burn_most"));
      assert(functionsOf(kept).some((name) => /pause/.test(name)), `${functionsOf(kept)}`);
      // The kernel has let the threads go; that may take it a moment.
      const tasks = `/proc/${program.pid}/task`;
      await until(() =>
        [...Deno.readDirSync(tasks)].every(({ name }) => {
          const status = Deno.readTextFileSync(`${tasks}/${name}/status`);
          return /^TracerPid:\t0$/m.test(status) && !/^State:\t[tT]/m.test(status);
        }), "threads without a tracer");
      using target = attach(program.pid);
      const spent = () => target.memory.readU64(program.numbers[0]);
      const before = spent();
      await until(() => spent() > before, "the target runs on");
      // It is not overwritten.
      const [code, , stderr] = await machpause(...args);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "machpause convert");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "record: a full disk is said, and what was recorded until then is kept",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    await using target = await Program.start("burn", "3");
    const path = `${folder}/a.json.gz`;
    try {
      // A limit on the size of files, whose signal is ignored, fails as a full disk does.
      const line = [Deno.execPath(), "run", "-A", program, "record", `${target.pid}`, "-o", path];
      const script = `trap '' XFSZ; ulimit -f 64; exec ${line.join(" ")} --off-cpu --rate 1000`;
      const { code, stderr } = await new Deno.Command("bash", { args: ["-c", script] }).output();
      const text = new TextDecoder().decode(stderr);
      assertEquals(code, 1, text);
      assertMatch(text, /^machpause: .*File too large.*: what was recorded until then is in /m);
      assertEquals(names(folder), ["a.json.gz.mprec"]);
      const kept = await read(`${path}.mprec`);
      // The file is full after few rounds of the burner, whichever of its functions was seen in them.
      assert(functionsOf(kept).includes("work"), `${functionsOf(kept)}`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "sample: the options that macOS's has, a text that is read back, and -wait",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    await using target = await Program.start("burn", "3");
    const text = new TextDecoder();
    const sample = (...args: string[]) =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", program, "sample", ...args],
        env: { TMPDIR: folder, VISUAL: `${folder}/editor --new` },
        stdout: "piped",
        stderr: "piped",
      });
    try {
      const file = `${folder}/a.txt`;
      await Deno.writeTextFile(`${folder}/editor`, `#!/bin/sh\necho "$@" >"$0.opened"\n`, {
        mode: 0o755,
      });
      const args = [`${target.pid}`, "0.5", "5", "-mayDie", "-fullPaths", "-e", "-file", file];
      const { code, stdout, stderr } = await sample(...args).output();
      assertEquals([code, text.decode(stdout)], [0, ""], text.decode(stderr));
      assertMatch(
        text.decode(stderr),
        new RegExp(
          String.raw`^Sampling process ${target.pid} for 0\.5 seconds with 5 milliseconds of run ` +
            String.raw`time between samples\nSampling completed, processing symbols\.\.\.\n` +
            String
              .raw`(\d+ samples? lost\n)?Sample analysis of process ${target.pid} written to file `,
        ),
      );
      assertEquals(Deno.readTextFileSync(`${folder}/editor.opened`), `--new ${file}\n`);
      const report = readReport(await Deno.readFile(file), file);
      assertEquals([report.format, report.process.pid], ["sample", target.pid]);
      assertEquals(report.threads.length, 5);
      assert(report.threads.some(({ name }) => name === "burner"));
      const { text: written } = report;
      const ids = report.threads.map(({ id }) => Number(id));
      assertEquals(ids, ids.toSorted((a, b) => a - b));
      assertMatch(written, /^Sort by top of stack[^]*^ {8}burn_most {2}\(in burn\) {8}\d+$/m);

      // A copy under a name of its own, which starts after it is waited for.
      const name = `b${target.pid}x`;
      await Deno.copyFile(`${await buildDirectory()}/burn`, `${folder}/${name}`);
      await Deno.chmod(`${folder}/${name}`, 0o755);
      const waiting = sample(name, "0.2", "5", "-wait").spawn();
      await new Promise((resolve) => setTimeout(resolve, 300));
      const late = new Deno.Command(`${folder}/${name}`, { stdout: "null" }).spawn();
      const found = await waiting.output();
      late.kill("SIGKILL");
      await late.status;
      assertEquals(found.code, 0, text.decode(found.stderr));
      assertMatch(text.decode(found.stdout), new RegExp(`^Analysis of sampling ${name} \\(pid`));
      // Without -file it is kept beside other temporary files too.
      const kept = names(folder).filter((file) => file.endsWith(".sample.txt"));
      assertEquals(kept.length, 1);
      assertEquals(Deno.readTextFileSync(`${folder}/${kept[0]}`), text.decode(found.stdout));
      for (
        const args of [[`${target.pid}`, "long"], ["12", "-wait"], [`${target.pid}`, "1", "0"]]
      ) {
        assertEquals((await sample(...args).output()).code, 2, args.join(" "));
      }
      // Before it begins, not after an hour.
      const lost = await sample(`${target.pid}`, "3600", "-file", `${folder}/none/a.txt`).output();
      assertEquals([lost.code, text.decode(lost.stdout), text.decode(lost.stderr)], [
        1,
        "",
        `machpause: cannot write ${folder}/none/a.txt: there is no such folder\n`,
      ]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
