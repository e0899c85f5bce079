/** Stubs that are broken, or mean harm: a typed error, in bounded time. The scripted stub never waits, so
 * that silence is over at once and no clock is in these tests. */
import { assert, assertEquals } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { FormatError, MachError, MemoryReadError, TargetGoneError } from "../../../mod.ts";
import {
  type Patience,
  RemoteError,
  type RemoteFailure,
  RemoteTarget,
} from "../../../lib/remote/mod.ts";
import { type Manners, packet, ScriptedStub } from "./scripted_stub.ts";

const system = { files };
const manners: readonly Manners[] = ["debugserver", "gdbserver", "qemu"];

/** Does with a target what `bt` and the prompt do. */
function use(stub: ScriptedStub, patience: Patience = {}): void {
  using target = new RemoteTarget(stub, system, patience);
  for (const thread of target.snapshot().threads) void `${thread.backtrace()}`.length;
  using _pause = target.pause();
  void target.regions().length;
  void target.memory.readUpTo(0x7000_0000n, 0x3000).length;
}

/** For stubs that send something all the time, and never what is waited for. */
const brief: Patience = { silence: 100, reply: 1000 };

/** How the use of a damaged stub ended. */
function outcome(
  manners: Manners,
  damage: (bytes: Uint8Array, nth: number) => Uint8Array | undefined,
  patience?: Patience,
): RemoteFailure | "gone" | "refused by kind" | "fine" {
  const stub = new ScriptedStub(manners, "armv7");
  stub.damage = damage;
  try {
    use(stub, patience);
    return "fine";
  } catch (error) {
    if (error instanceof RemoteError) return error.failure;
    if (error instanceof TargetGoneError) return "gone";
    const isTyped = error instanceof FormatError || error instanceof MemoryReadError ||
      error instanceof MachError;
    if (!isTyped) throw error;
    return "refused by kind";
  } finally {
    assert(stub.closed, "the connection is closed");
  }
}

/** How many packets the undamaged stub sends. */
function packets(manners: Manners): number {
  let count = 0;
  assertEquals(
    outcome(manners, (bytes) => {
      count++;
      return bytes;
    }),
    "fine",
  );
  return count;
}

for (const kind of manners) {
  /** After each packet of the start, then after some. */
  const states = (count: number) =>
    Array.from({ length: count }, (_, nth) => nth).filter((nth) => nth < 40 || nth % 37 === 0);

  Deno.test(`${kind}: silence after any packet is a timeout`, () => {
    for (const nth of states(packets(kind))) {
      const found = outcome(kind, (bytes, at) => at >= nth ? undefined : bytes);
      // The reply to the last requests, which let the target go, is not waited for twice.
      assert(found === "timeout" || found === "fine", `${nth}: ${found}`);
      if (nth < 20) assertEquals(found, "timeout", `${nth}`);
    }
  });

  Deno.test(`${kind}: a packet that is cut off is a timeout, or one with a wrong checksum`, () => {
    for (const nth of states(packets(kind))) {
      const found = outcome(kind, (bytes, at) => at === nth ? bytes.subarray(0, -2) : bytes);
      assert(["timeout", "protocol", "refused", "fine"].includes(found), `${nth}: ${found}`);
    }
  });

  Deno.test(`${kind}: a wrong checksum is refused, or asked for again`, () => {
    for (const nth of states(packets(kind))) {
      const found = outcome(kind, (bytes, at) => {
        if (at !== nth) return bytes;
        const damaged = bytes.slice();
        damaged.set(new TextEncoder().encode("f1"), damaged.length - 2);
        return damaged;
      });
      const isAcknowledged = kind === "qemu" || nth < 2;
      // The sum may have been f1.
      if (isAcknowledged) assertEquals(found, "fine", `${nth}`);
      else assert(found === "protocol" || found === "fine", `${nth}: ${found}`);
      if (nth === 5 && !isAcknowledged) assertEquals(found, "protocol");
    }
  });

  Deno.test(`${kind}: a disconnect in any state is told as one`, () => {
    for (const nth of states(packets(kind))) {
      const stub = new ScriptedStub(kind, "armv7");
      stub.damage = (bytes, at) => {
        if (at === nth) stub.closed = true;
        return bytes;
      };
      try {
        use(stub);
      } catch (error) {
        assert(error instanceof RemoteError, `${error}`);
        assertEquals(error.failure, "closed");
      }
    }
  });

  Deno.test(`${kind}: every reply replaced by nonsense: a typed error, or less is known`, () => {
    const nonsense = [
      "",
      "E01",
      "OK",
      "l",
      "m",
      "mffffffffffffffff",
      "F",
      "F-1",
      "Fffffffff;",
      "T05",
      "W00",
      "X09",
      "S",
      "O41",
      "[]",
      "[{}]",
      "{",
      "[[[[",
      '[{"tid":1e999}]',
      "l<a",
      "l<reg bitsize='8e9'/>",
      "start:0;size:ffffffffffffffff;",
      "start:0;size:0;",
      "x".repeat(5000),
      "0".repeat(100_000),
      "vCont;c;t",
      "PacketSize=ffffffffffffffff;QNonStop+;qXfer:features:read+",
      "\x00\xff}",
    ];
    const count = Math.min(packets(kind), 14);
    for (const [index, text] of nonsense.entries()) {
      const isEnd = /^[WX]/.test(text);
      // The fuzzer tries the others.
      for (const nth of [index % count, (index * 5 + 3) % count]) {
        const found = outcome(kind, (bytes, at) => at === nth ? packet(text) : bytes, brief);
        assert(found !== "gone" || isEnd, `${nth}: ${JSON.stringify(text.slice(0, 40))}: ${found}`);
      }
      // And always the same.
      outcome(kind, () => packet(text), brief);
    }
  });
}

Deno.test("notifications, output and stops without end are bounded", () => {
  const flood = (text: string, mark: string) => {
    const stub = new ScriptedStub("gdbserver", "armv7");
    const one = packet(text, mark);
    const many = new Uint8Array(one.length * 2000);
    for (let at = 0; at < many.length; at += one.length) many.set(one, at);
    stub.damage = (bytes, nth) => nth === 12 ? Uint8Array.of(...many, ...bytes) : bytes;
    try {
      use(stub);
    } catch (error) {
      assert(error instanceof RemoteError, `${error}`);
    }
    assert(stub.closed);
  };
  flood("Stop:T05thread:1;", "%");
  flood("O414243", "$");
  flood("T05thread:1;", "$");
});
