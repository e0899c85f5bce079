import { assertEquals } from "@std/assert";
import { fitted, reasonOf } from "../../../repl/prompt/crash.ts";
import type { Crash } from "../../../mod.ts";

Deno.test("a crash is named by XNU's numbers, whichever it is", () => {
  const crash = (given: Partial<Crash>): string =>
    `${reasonOf({ threadId: 1n, exception: 0, code: 0n, subcode: 0n, signal: 0, ...given })}`;
  assertEquals(crash({ signal: 6 }), "signal SIGABRT");
  assertEquals(crash({ signal: 13 }), "signal SIGPIPE"); // <sys/signal.h>
  assertEquals(crash({ signal: 31 }), "signal SIGUSR2");
  assertEquals(
    crash({ exception: 1, code: 1n, subcode: 8n, signal: 11 }),
    "EXC_BAD_ACCESS (code=1, address=0x8)",
  );
  // <mach/exception_types.h>
  assertEquals(
    crash({ exception: 9, code: 2n, subcode: 3n }),
    "EXC_RPC_ALERT (code=2, subcode=0x3)",
  );
});

Deno.test("a report's registers are wrapped between two, and a stack that overflowed is shown at both ends", () => {
  const cell = (name: string, value: number) =>
    `${name.padStart(6)}: 0x${`${value}`.padStart(16, "0")}`;
  const line = ["rax", "rbx", "rcx", "rdx"].map(cell).join("");
  assertEquals(fitted([line], 104), [line]);
  assertEquals(fitted([line], 100), [line.slice(0, 78), line.slice(78)]);
  assertEquals(fitted([line], 40), [0, 26, 52, 78].map((at) => line.slice(at, at + 26)));
  assertEquals(fitted(["a line of text that is long"], 10), ["a line of text that is long"]);
  const frames = (count: number) => Array.from({ length: count }, (_, at) => `${at}   eat + 30`);
  assertEquals(fitted(["Thread 0:", ...frames(1500), ""], 80).length, 1502);
  const shown = fitted(["Thread 0:", ...frames(50_000), ""], 80);
  assertEquals([shown.length, shown[256], shown[257], shown[258]], [
    515,
    "255   eat + 30",
    "... 49488 frames are left out here ...",
    "49744   eat + 30",
  ]);
});
