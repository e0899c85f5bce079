/** `machpause doctor`: for real where the tests run, and on Macs by what they would say of themselves. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { canLaunch, hasX86Loader, isRoot } from "../../machine.ts";
import { plain } from "../../../repl/view/style.ts";
import {
  type Check,
  doctorLines,
  examine,
  type Facts,
  type MacFacts,
  stateIn,
} from "../../../repl/cli/doctor.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const ignore = !canLaunch;

async function doctor(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", program, "doctor", ...args],
    env: { NO_COLOR: "1", ...env },
  }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

function byName(checks: readonly Check[]): Record<string, Check> {
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

Deno.test({
  name: "doctor says what works here, and it is so: the demo was launched and attached to",
  ignore: ignore || !isRoot,
  async fn() {
    const { code, stdout, stderr } = await doctor(["--json"]);
    assertEquals([code, stderr], [0, ""]);
    const { checks } = JSON.parse(stdout);
    const found = byName(checks);
    for (const check of checks) {
      assertEquals(Object.keys(check), ["name", "state", "finding", "fix"]);
    }
    assertEquals([found.launch.state, found.attach.state], ["ok", "ok"]);
    assertStringIncludes(found.deno.finding, Deno.version.deno);
    assertMatch(found.library.finding, /libmachpause\.\w+, as its SHA-256 says$/);
    if (Deno.build.os === "linux") assertStringIncludes(found.system.finding, Deno.osRelease());
    // It fits in one screen.
    const lines = (await doctor([])).stdout.split("\n");
    assert(lines.length <= 24 && lines.every((line) => line.length < 200));
  },
});

Deno.test({
  name: "doctor where task_for_pid is as strict as XNU's: launching works, attaching does not",
  ignore: !hasX86Loader,
  async fn() {
    const { code, stdout } = await doctor(["--json"], { MACHPAUSE_STRICT_TASK_FOR_PID: "1" });
    const found = byName(JSON.parse(stdout).checks);
    assertEquals([code, found.launch.state, found.attach.state], [1, "ok", "no"]);
    assertMatch(found.attach.finding, /\bpid \d+ (?:to root|may not be attached to)/);
  },
});

Deno.test({
  name: "doctor of a cache that others can write to: that is what is wrong, and how to fix it",
  ignore,
  async fn() {
    const cache = await Deno.makeTempDir();
    try {
      const directory = `${cache}/machpause`;
      await Deno.mkdir(directory);
      await Deno.chmod(directory, 0o777);
      const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
      const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout));
      const env = { XDG_CACHE_HOME: cache, DENO_DIR: denoDir };
      const { code, stdout } = await doctor(["--json"], env);
      const found = byName(JSON.parse(stdout).checks);
      assertEquals(code, 1);
      assertEquals(
        ["launch", "attach", "cache", "library"].map((name) => found[name].state),
        ["no", "no", "no", "no"],
      );
      assertStringIncludes(found.cache.finding, "can be written by other users");
      assertEquals(found.cache.fix, `rm -r ${directory}`);
    } finally {
      await Deno.remove(cache, { recursive: true });
    }
  },
});

const entitlement = "<key>com.apple.security.cs.debugger</key>\n\t<true/>";
const refusal = "macOS gives task ports only to root and to programs signed as debuggers";

const fresh: MacFacts = {
  translated: false,
  signatureFlags: 0x2001_0000, // CS_SIGNED, CS_RUNTIME
  entitlements: "",
  copy: undefined,
  developerMode: undefined,
  hasScreen: true,
  protection: true,
  spotlight: true,
};

/** A Mac where Deno has just been installed, changed in some ways. */
function mac(changes: Partial<MacFacts> = {}, more: Partial<Facts> = {}): Promise<Check[]> {
  return examine({
    os: "darwin",
    system: "macOS 15.1",
    arch: "aarch64",
    version: "2.9.6",
    origin: {
      standalone: false,
      executable: "/Users/me/.deno/bin/deno",
      main: "https://jsr.io/@machpause/machpause/0.1.0/repl/main.ts",
    },
    user: 501,
    attachError: refusal,
    cache: { path: "/Users/me/Library/Caches/machpause" },
    library: { path: "/Users/me/Library/Caches/machpause/x/libmachpause.dylib", given: false },
    mac: { ...fresh, ...changes },
    ...more,
  });
}

const setup = "deno run -q -A jsr:@machpause/machpause/cli setup";

Deno.test("doctor of a new Mac: launching works; attaching takes setup", async () => {
  const checks = await mac();
  const found = byName(checks);
  assertEquals(found.launch.state, "ok");
  assertEquals(found.attach, { name: "attach", state: "no", finding: refusal, fix: setup });
  assertEquals([found.entitlement.state, found.entitlement.fix], ["no", setup]);
  assertEquals(found.system.finding, "macOS 15.1, arm64");
  assertEquals(found.signature.finding, "signed, hardened runtime");
  assertEquals([found["Developer Mode"].state, found["Developer Mode"].fix], [
    "note",
    "sudo DevToolsSecurity -enable",
  ]);
  assertMatch(found.SIP.finding, /is on/);
  const lines = doctorLines(checks, plain);
  assert(lines.length <= 20);
  assertMatch(lines[1], /^no {4}attach {10}macOS gives task ports/);
  assertMatch(lines[2], /^ +fix: deno run -q -A jsr:@machpause\/machpause\/cli setup$/);
});

Deno.test("doctor of a Mac after setup, over SSH, under sudo, under Rosetta", async () => {
  const copy = { path: "/Users/me/Library/Application Support/machpause/deno", current: true };
  const after = byName(await mac({ copy, developerMode: true }));
  assertEquals([after.attach.state, after.entitlement.state], ["ok", "ok"]);
  assertStringIncludes(after.attach.finding, copy.path);
  assertEquals(after["Developer Mode"].state, "ok");

  const old = byName(await mac({ copy: { ...copy, current: false } }));
  assertEquals([old.attach.state, old.entitlement.fix], ["no", setup]);
  assertStringIncludes(old.entitlement.finding, "older Deno");

  const signed = byName(await mac({ entitlements: entitlement }, { attachError: undefined }));
  assertStringIncludes(signed.entitlement.finding, "this process has");

  const ssh = byName(await mac({ hasScreen: false, developerMode: false }));
  assertEquals(ssh["Developer Mode"].state, "no");
  assertStringIncludes(ssh["Developer Mode"].finding, "SSH");

  const root = byName(await mac({}, { user: 0, attachError: undefined }));
  assertEquals([root.attach.state, root.entitlement.state], ["ok", "ok"]);
  assertStringIncludes(root.attach.finding, "all users");

  const rosetta = byName(await mac({ translated: true }, { arch: "x86_64" }));
  assertEquals([rosetta.deno.state, rosetta.attach.fix], ["no", undefined]);
  assertMatch(rosetta.deno.fix!, /deno\.land\/install\.sh/);

  const other = byName(
    await mac({ spotlight: false, protection: undefined, signatureFlags: undefined }, {
      version: "2.3.1",
      library: { error: "/x/libmachpause.dylib was damaged, and has been removed: start again" },
    }),
  );
  assertEquals([other.dSYMs.state, other.dSYMs.fix], ["note", "sudo mdutil -i on /"]);
  assertEquals([other.SIP.state, other.signature.state], ["note", "note"]);
  assertEquals([other.deno.state, other.deno.fix], ["note", "deno upgrade"]);
  assertEquals(other.library.state, "no");
});

Deno.test("doctor of a Linux with Yama", async () => {
  const linux = async (facts: Partial<Facts>) =>
    byName(
      await examine({
        os: "linux",
        system: "Linux",
        arch: "x86_64",
        version: "2.10.0",
        origin: { standalone: true, executable: "/opt/machpause", main: "file:///x/repl/main.ts" },
        user: 1000,
        cache: { path: "/home/me/.cache/machpause" },
        library: { path: "/build/libmachpause.so", given: true },
        ...facts,
      }),
    );
  const scope = async (ptraceScope: number, more: Partial<Facts> = {}) =>
    (await linux({ ptraceScope, ...more }))["ptrace scope"];
  const fix = "sudo sysctl kernel.yama.ptrace_scope=0";
  assertEquals((await scope(0)).state, "ok");
  assertEquals([(await scope(1)).state, (await scope(1)).fix], ["no", fix]);
  assertEquals((await scope(1, { user: 0 })).state, "ok");
  assertEquals((await scope(2, { mayTrace: true })).state, "ok");
  assertEquals((await scope(2)).fix, fix);
  assertEquals((await scope(3, { user: 0 })).state, "no");
  assertEquals((await scope(3)).fix, undefined);
  const refused = await linux({ ptraceScope: 1, attachError: "pid 1 may not be attached to" });
  assertEquals(refused.attach.fix, fix);
  assertEquals(refused.deno.state, "ok");
  assertStringIncludes(refused.deno.finding, "compiled into the program");
  assertEquals(refused.library.state, "note");
});

Deno.test("what a Mac's programs print is understood", () => {
  assertEquals(stateIn("System Integrity Protection status: enabled."), true);
  assertEquals(stateIn("System Integrity Protection status: disabled."), false);
  assertEquals(stateIn("/:\n\tIndexing enabled. "), true);
  assertEquals(stateIn("/:\n\tIndexing and searching disabled."), false);
  assertEquals(stateIn("/:\n\tError: unknown indexing state."), undefined);
  assertEquals(stateIn(undefined), undefined);
});
