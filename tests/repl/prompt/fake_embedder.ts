/** A program that has the prompt in it: what start_test.ts runs. */
import { startRepl } from "../../../repl/start.ts";
import { fakeTarget } from "../fake_target.ts";

const { target, kernel } = fakeTarget();
const code = await startRepl({ target, context: { answer: 42 }, begin: ["pause"] });
const left = ["answer", "target", "threads", "attach"].filter((name) => name in globalThis);
console.log(JSON.stringify({
  code,
  paused: target.paused,
  held: kernel.tokens.size,
  pid: target.pid,
  threads: target.threads.length,
  left,
  self: self === globalThis,
}));
