/** Reads the keyboard in a thread of its own: Ctrl-C and Ctrl-\ are noticed while the main thread is busy. */
import { safe, type SafeText } from "../../lib/escape.ts";
import { cells } from "./interrupt.ts";
import type { Typed } from "./terminal.ts";

declare const self: {
  onmessage: ((event: MessageEvent<SharedArrayBuffer>) => void) | null;
  postMessage(message: Typed | null): void;
};

/** The main thread is busy when it has not seen a key after this time. */
const busyMilliseconds = 300;

const ctrlC = 0x03;
const ctrlZ = 0x1a;
const ctrlBackslash = 0x1c;

/** How many interrupting keys were pressed. */
let pressed = 0;
/** Whether the user was told that another Ctrl-C ends the program. */
let offered = false;

self.onmessage = async ({ data }) => {
  const shared = new Int32Array(data);
  const isHeard = () => Atomics.load(shared, cells.heard) >= pressed;
  const buffer = new Uint8Array(16384);
  for (let posted = 1;; posted++) {
    const count = await Deno.stdin.read(buffer).catch(() => null);
    if (count === null) break;
    const bytes = buffer.slice(0, count);
    const run = Atomics.load(shared, cells.run);
    for (const byte of bytes) {
      if (byte !== ctrlC && byte !== ctrlBackslash) continue;
      if (byte === ctrlC && offered && !isHeard()) end(shared);
      offered = false;
      pressed++;
      if (run !== 0) {
        Atomics.store(shared, cells.interrupted, run);
        Atomics.store(shared, cells.stop, 1);
      }
      setTimeout(() => {
        if (isHeard()) return;
        if (byte === ctrlBackslash) return end(shared);
        offered = true;
        write(safe`\r\n(still busy: Ctrl-C again ends machpause, and the target runs on)\r\n`);
      }, busyMilliseconds);
    }
    self.postMessage({ bytes, run });
    // A read that waits while the job is stopped could get what is typed for the shell.
    if (bytes.includes(ctrlZ)) waitUntilTaken(shared, posted);
  }
  // The terminal is gone.
  pressed++;
  self.postMessage(null);
  setTimeout(() => {
    if (!isHeard()) end(shared);
  }, busyMilliseconds);
};

/** Waits until the main thread has dealt with that many reads, or is busy. */
function waitUntilTaken(shared: Int32Array, posted: number): void {
  const late = performance.now() + busyMilliseconds;
  for (;;) {
    const taken = Atomics.load(shared, cells.taken);
    const left = late - performance.now();
    if (taken >= posted || left <= 0) return;
    Atomics.wait(shared, cells.taken, taken, left);
  }
}

function write(text: SafeText): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

/** Ends this process at once. The kernel lets go of what it holds: a target that it paused runs on. */
function end(shared: Int32Array): void {
  const child = Atomics.load(shared, cells.child);
  try {
    if (child !== 0) Deno.kill(child, "SIGKILL");
    // No bracketed paste, and the modes that a shell expects.
    write(safe`\x1b[?2004l\r\n`);
    new Deno.Command("stty", { args: ["sane"], stdin: "inherit" }).outputSync();
  } finally {
    Deno.kill(Deno.pid, "SIGKILL");
  }
}
