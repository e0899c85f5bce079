/**
 * Watches a global variable: reads it every few milliseconds without stopping the process, and prints
 * its changes.
 *
 *     deno task machpause run examples/watch.ts <pid|name> <symbol> [bytes] [changes]
 *
 * For `demo_progress` in the demo process on Linux it prints:
 *
 *     demo_progress at 0x1033a5060: 8 bytes
 *     147 → 148
 *     148 → 149
 *     149 → 150
 */
import { attach, escapeText } from "@machpause/machpause";

if (Deno.args.length < 2) {
  console.error("usage: watch.ts <pid|name> <symbol> [bytes] [changes]");
  Deno.exit(2);
}
const [process, name, size = "8", changes = "3"] = Deno.args;
using target = attach(process);
const [found] = target.lookup(name);
if (found === undefined) {
  console.error(`no symbol is named ${escapeText(name)}`);
  Deno.exit(1);
}
const { address } = found.symbol;
console.log(`${escapeText(name)} at 0x${address.toString(16)}: ${size} bytes`);

/** Its value, as a little-endian number. */
function value(): bigint {
  return target.memory.read(address, Number(size))
    .reduceRight((number, byte) => number << 8n | BigInt(byte), 0n);
}

let before = value();
for (let change = 0; change < Number(changes);) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  const now = value();
  if (now === before) continue;
  console.log(`${before} → ${now}`);
  before = now;
  change++;
}
