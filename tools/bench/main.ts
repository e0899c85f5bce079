/** `deno task bench [NAME…]`: all comparisons, or those named. */

const names = Deno.args.length > 0 ? Deno.args : [
  "bt",
  "stopped",
  "sample",
  "prompt",
  "core",
  "image",
  "unwind",
  "index",
  "symbolicate",
  "crash",
  "shared_cache",
  "variables",
];
for (const name of names) {
  const { bench } = await import(new URL(`./${name}.ts`, import.meta.url).href);
  console.log(`\n## ${name}\n`);
  await bench();
}
