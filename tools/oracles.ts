/** Runs the comparisons with other tools, and ends with the names of those that did not run.
 *
 *     deno task test:oracle [FILE…]
 *
 * Some oracles need sources that are not on every machine. CONTRIBUTING.md says which variable names
 * each; a green run that compared less than it seems would mislead.
 */

/** The names of the tests that Deno's report calls ignored. */
export function ignoredTests(report: string): string[] {
  // deno-lint-ignore no-control-regex
  const plain = report.replace(/\x1b\[[0-9;]*m/g, "");
  return [...plain.matchAll(/^(.+) \.\.\. ignored \(/gm)].map(([, name]) => name);
}

if (import.meta.main) {
  const files = Deno.args.length > 0 ? Deno.args : ["tests/oracle"];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--parallel", ...files],
    stdout: "piped",
  }).spawn();
  let report = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    report += text;
    await Deno.stdout.write(new TextEncoder().encode(text));
  }
  const skipped = ignoredTests(report);
  if (skipped.length > 0) {
    console.log(`oracles that did not run, for want of what they compare with: ${skipped.length}`);
    for (const name of skipped) console.log(`  ${name}`);
  }
  Deno.exitCode = (await child.status).code;
}
