/** Profiles as the text of macOS's sample. The expected lines are laid out as those that people paste into bug
 * reports are, for instance fish-shell 6837's and tillandsias' of 2026. */
import { assertEquals } from "@std/assert";
import { ProfileBuilder } from "../../../lib/profile/mod.ts";
import { type CallTreeNode, profileOfReport, readReport } from "../../../lib/report/mod.ts";
import { sampleLines } from "../../../lib/report/write/sample.ts";

function profile() {
  const builder = new ProfileBuilder({ arch: "arm64", os: "macOS 14.5 (23F79)", interval: 1 });
  const process = builder.process({ name: "Ledger", pid: 9090 });
  const ledger = builder.image({
    name: "Ledger",
    path: "/Applications/Ledger.app/Contents/MacOS/Ledger",
    uuid: "A1A2A3A4-B1B2-3C1C-8D1D-E1E2E3E4E5E6",
    address: 0x10a3b4000n,
    size: 0x6000n,
  });
  const dyld = builder.image({
    name: "dyld",
    path: "/usr/lib/dyld",
    uuid: "F1F2F3F4-0102-3304-8506-070809101112",
    address: 0x7fff6f49d000n,
    size: 0x37000n,
  });
  const frame = (name: string | null, image: number, start: bigint, offset: number, line = 0) =>
    builder.frame(
      builder.function(name, {
        image,
        address: name === null ? start + BigInt(offset) : start,
        file: line === 0 ? null : "/src/Book.m",
      }),
      { address: start + BigInt(offset), line },
    );
  const start = builder.stack(-1, frame("start", dyld, 0x7fff6f4b7c00n, 1));
  const main = builder.stack(start, frame("main", ledger, 0x10a3b5000n, 24, 12));
  const sum = (offset: number) =>
    builder.stack(main, frame("-[Book sum (all)]", ledger, 0x10a3b5100n, offset, 40));
  const unknown = builder.stack(sum(80), frame(null, ledger, 0x10a3b5200n, 0x30));
  const write = builder.stack(main, frame("operator<<(int)", ledger, 0x10a3b5400n, 5));
  const idle = builder.stack(start, frame("wait", dyld, 0x7fff6f4b8000n, 8));
  const thread = builder.thread({
    process,
    id: 777001n,
    queue: "com.apple.main-thread",
    isMain: true,
  });
  const other = builder.thread({ process, id: 777002n, name: "AMCP Logging Spool" });
  let time = 0;
  const add = (thread: number, stack: number, weight: number) =>
    builder.sample(thread, stack, time++, { weight });
  add(thread, unknown, 9);
  add(thread, sum(96), 6);
  add(thread, sum(100), 5);
  add(thread, write, 4);
  add(other, idle, 24);
  return builder.finish();
}

const facts = {
  interval: 1,
  parent: "launchd [1]",
  queues: new Map([["com.apple.main-thread", { serialNumber: 1n, kind: "serial" as const }]]),
};

Deno.test("a profile as sample's text", () => {
  const lines = [...sampleLines(profile(), facts)];
  assertEquals(lines.slice(0, 9), [
    "Analysis of sampling Ledger (pid 9090) every 1 millisecond",
    "Process:         Ledger [9090]",
    "Path:            /Applications/Ledger.app/Contents/MacOS/Ledger",
    "Load Address:    0x10a3b4000",
    "Identifier:      Ledger",
    "Version:         ???",
    "Code Type:       ARM64",
    "Parent Process:  launchd [1]",
    "",
  ]);
  assertEquals(lines.slice(lines.indexOf("Call graph:")), [
    "Call graph:",
    "    24 Thread_777001   DispatchQueue_1: com.apple.main-thread  (serial)",
    "    + 24 start  (in dyld) + 1  [0x7fff6f4b7c01]",
    "    +   24 main  (in Ledger) + 24  [0x10a3b5018]  Book.m:12",
    "    +     20 -[Book sum (all)]  (in Ledger) + 80,96,...  [0x10a3b5150,0x10a3b5160,...]  Book.m:40",
    "    +     ! 9 ???  (in Ledger)  load address 0x10a3b4000 + 0x1230  [0x10a3b5230]",
    "    +     4 operator<<(int)  (in Ledger) + 5  [0x10a3b5405]",
    "    24 Thread_777002: AMCP Logging Spool",
    "      24 start  (in dyld) + 1  [0x7fff6f4b7c01]",
    "        24 wait  (in dyld) + 8  [0x7fff6f4b8008]",
    "",
    "Total number in stack (recursive counted multiple, when >=5):",
    "",
    "Sort by top of stack, same collapsed (when >= 5):",
    "        wait  (in dyld)        24",
    "        -[Book sum (all)]  (in Ledger)        11",
    "        ???  (in Ledger)  load address 0x10a3b4000 + 0x1230  [0x10a3b5230]        9",
    "",
    "Binary Images:",
    "       0x10a3b4000 -        0x10a3b9fff +Ledger (???) <A1A2A3A4-B1B2-3C1C-8D1D-E1E2E3E4E5E6> " +
    "/Applications/Ledger.app/Contents/MacOS/Ledger",
    "    0x7fff6f49d000 -     0x7fff6f4d3fff  dyld (???) <F1F2F3F4-0102-3304-8506-070809101112> " +
    "/usr/lib/dyld",
  ]);
});

Deno.test("recursive calls are counted by their places in the tree, from five on", () => {
  const builder = new ProfileBuilder();
  const process = builder.process({ name: "a\nb", pid: 1 });
  const down = builder.frame(builder.function("down", { address: 0x10n }), { address: 0x14n });
  let stack = -1;
  for (let depth = 0; depth < 6; depth++) stack = builder.stack(stack, down);
  builder.sample(builder.thread({ process, id: 1n, name: "x\x1b[2J" }), stack, 0);
  const lines = [...sampleLines(builder.finish(), { interval: 10, fullPaths: true })];
  const at = lines.findIndex((line) => line.startsWith("Total number"));
  assertEquals(lines[at + 1], "        6       down  (in <unknown binary>) + 4  [0x14]");
  assertEquals(lines[0], "Analysis of sampling a b (pid 1) every 10 milliseconds");
  assertEquals(lines.find((line) => line.includes("Thread_")), "    1 Thread_1: x [2J");
});

Deno.test("our reader reads back what ELF files have in place of UUIDs, and images without files", () => {
  const builder = new ProfileBuilder();
  const process = builder.process({ name: "tool", pid: 1 });
  const images = [
    { name: "[vdso]", path: "[vdso]", uuid: "e025128345ce65b719dab776555f2b64ee0204a1" },
    {
      name: "libx.so.1",
      path: "/usr/lib/libx.so.1",
      uuid: "0123456789abcdef0123456789abcdef01234567",
    },
  ];
  const thread = builder.thread({ process, id: 1n, name: "a" });
  for (const [index, given] of images.entries()) {
    const address = BigInt(index + 1) << 20n;
    const image = builder.image({ ...given, address, size: 0x2000n });
    const of = builder.function(`f${index}`, { image, address: address + 0x10n });
    builder.sample(thread, builder.stack(-1, builder.frame(of, { address: address + 0x14n })), 0);
  }
  const text = [...sampleLines(builder.finish(), { interval: 10 })].join("\n");
  const report = readReport(new TextEncoder().encode(text), "a.txt");
  assertEquals(report.images.map(({ name, path, uuid }) => ({ name, path, uuid })), images);
  const read = profileOfReport(report);
  assertEquals(read.images.map(({ name }) => name), ["[vdso]", "libx.so.1"]);
});

Deno.test("our reader reads it back: threads, queues, counts, places and images", () => {
  const text = [...sampleLines(profile(), facts)].join("\n");
  const report = readReport(new TextEncoder().encode(text), "a.txt");
  assertEquals(report.format, "sample");
  assertEquals(report.warnings, []);
  assertEquals([report.process.name, report.process.pid, report.arch], ["Ledger", 9090, "arm64"]);
  assertEquals(report.threads.map(({ id, name, queue }) => [id, name, queue]), [
    [777001n, null, "com.apple.main-thread"],
    [777002n, "AMCP Logging Spool", null],
  ]);
  type Shown = [count: number, name: string | null, address: bigint, children: Shown[]];
  const show = ({ count, frame, children }: CallTreeNode): Shown => [
    count,
    frame.symbol,
    frame.address,
    children.map(show),
  ];
  assertEquals(report.threads[0].tree?.map(show), [
    [24, "start", 0x7fff6f4b7c01n, [
      [24, "main", 0x10a3b5018n, [
        [20, "-[Book sum (all)]", 0x10a3b5150n, [[9, null, 0x10a3b5230n, []]]],
        [4, "operator<<(int)", 0x10a3b5405n, []],
      ]],
    ]],
  ]);
  assertEquals(report.images.map(({ name, uuid, base }) => [name, uuid, base]), [
    ["Ledger", "A1A2A3A4-B1B2-3C1C-8D1D-E1E2E3E4E5E6", 0x10a3b4000n],
    ["dyld", "F1F2F3F4-0102-3304-8506-070809101112", 0x7fff6f49d000n],
  ]);
});
