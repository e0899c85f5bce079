#!/usr/bin/env node
/** Starts the program under the Deno that was installed with this package. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of Deno itself; the `deno` package's own script would be one process more. */
function findDeno() {
  const require = createRequire(import.meta.url);
  let folder;
  try {
    folder = dirname(require.resolve("deno/package.json"));
  } catch {
    console.error("machpause: Deno was left out when this was installed: npm install deno");
    process.exit(1);
  }
  const path = join(folder, "deno");
  // It is put there by the package's install script, which npm may be told not to run.
  return existsSync(path) ? path : require(join(folder, "install_api.cjs")).runInstall();
}

const deno = findDeno();
const program = fileURLToPath(new URL("./program/repl/main.js", import.meta.url));
const args = [
  "run",
  "--allow-all",
  "--no-lock",
  "--no-config",
  "--node-modules-dir=manual",
  // Otherwise Deno clears the line with the prompt whenever it reads a module.
  "--quiet",
  // Reads only the modules that a command uses.
  "--unstable-lazy-dynamic-imports",
  program,
];
args.push(...process.argv.slice(2));
if (process.execve !== undefined) {
  process.execve(deno, [deno, ...args]);
} else {
  const child = spawn(deno, args, { stdio: "inherit" });
  // A terminal sends its signals to both; these may come from elsewhere.
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {});
  process.on("SIGQUIT", () => {});
  child.on("exit", (code, signal) => {
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}
