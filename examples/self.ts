/**
 * Looks at its own process: the names of its threads, and how long they were stopped.
 *
 *     deno task machpause run examples/self.ts
 *
 * With Deno 2.9 on Linux it prints:
 *
 *     deno, V8 DefaultWorke, tokio-runtime-w
 *     stopped for 0.4 ms
 */
import { attachSelf, escapeText } from "@machpause/machpause";

const snapshot = attachSelf().snapshot();
const names = new Set(snapshot.threads.map(({ name }) => escapeText(name)));
console.log([...names].join(", "));
console.log(`stopped for ${(snapshot.stoppedMicroseconds / 1000).toFixed(1)} ms`);
