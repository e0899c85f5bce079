import { assertEquals } from "@std/assert";
import { reasonOf } from "../../../repl/prompt/crash.ts";
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
