/** How long the process of 101 threads is stopped, how many FFI calls a snapshot makes, and how many
 * frames a second are unwound and symbolicated from it. */
import { files, openKernel } from "../../ffi/mod.ts";
import { LiveTarget } from "../../lib/target/mod.ts";
import { startMachO } from "./crowd.ts";
import { median } from "./measure.ts";

/** Prints a Markdown table. */
export async function bench(): Promise<void> {
  using launched = await startMachO();
  try {
    const kernel = openKernel();
    using target = new LiveTarget(kernel, { files }, { pid: launched.pid, name: "crowd" });
    target.snapshot();
    const stopped: number[] = [];
    const calls = new Set<number>();
    for (let run = 0; run < 50; run++) {
      const before = kernel.calls;
      stopped.push(target.snapshot().stoppedMicroseconds);
      calls.add(kernel.calls - before);
    }
    const { threads } = target.snapshot();
    let frames = 0;
    let named = 0;
    const walkAll = () => {
      for (const thread of threads) {
        for (const frame of thread.backtrace().activations) {
          frames++;
          if (frame.symbol !== null) named++;
        }
      }
    };
    const rates: number[] = [];
    for (let run = 0; run < 20; run++) {
      frames = named = 0;
      const began = performance.now();
      for (let round = 0; round < 20; round++) walkAll();
      rates.push(frames / (performance.now() - began) * 1000);
    }
    console.log("| measure | median | range |\n|---|---|---|");
    console.log(
      `| stopped, as the shim reports it | ${median(stopped)} µs | ` +
        `${Math.min(...stopped)} to ${Math.max(...stopped)} µs |`,
    );
    console.log(`| FFI calls a snapshot | ${[...calls].join(", ")} | |`);
    console.log(
      `| frames unwound and symbolicated a second | ${
        (median(rates) / 1e6).toFixed(2)
      } million | ` +
        `${(Math.min(...rates) / 1e6).toFixed(2)} to ${(Math.max(...rates) / 1e6).toFixed(2)} |`,
    );
    console.log(
      `| frames in a snapshot, and those with a symbol | ${frames / 20}, ${named / 20} | |`,
    );
  } finally {
    launched.kill();
  }
}

if (import.meta.main) await bench();
