/** Kernel panics: what their registers and lists say of the fault. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { explainReport, readReport } from "../../../lib/report/mod.ts";

function explained(text: string) {
  const { happened, check } = explainReport(readReport(text, "x"));
  return { text: happened.join("\n"), check: check.join("\n") };
}

/** A page fault as XNU's `panic_trap` prints it. */
const fault = (type: string, place: string, frames: string[], rest = "") =>
  `panic(cpu 1 caller 0xffffff80153ce000): Kernel trap at ${place}, ${type}=page fault, registers:
CR0: 0x000000008001003b, CR2: 0x0000000000000120, CR3: 0x0000000018806000, CR4: 0x0000000000002660
RSP: 0xffffff911fe1bf50, RBP: 0xffffff911fe1bf80, RSI: 0x0000000000000000, RDI: 0xffffff8015a16f30
Fault CR2: 0x0000000000000120, Error code: 0x0000000000000000, Fault CPU: 0x1, PL: 0

Backtrace (CPU 1), Frame : Return Address
${frames.map((frame, at) => `0xffffff911fe1b${at}00 : ${frame} `).join("\n")}
${rest}`;

Deno.test("a page fault in both spellings of the kernel", () => {
  for (const type of ["type 14", "type = 14"]) {
    const { text } = explained(fault(type, "0xffffff80158b2f1b", ["0xffffff80152dab12"]));
    assertStringIncludes(text, "a page fault.");
    assertStringIncludes(text, "The address was 0x120, by a read: null plus 288");
  }
});

Deno.test("extensions in the backtrace: advice to look at them only where a report has their list", () => {
  const process = "\nBSD process name corresponding to current thread: kernel_task\n";
  const own = explained(
    fault("type 14", "0xffffff80158b2f1b", ["0xffffff80152dab12", "0xffffff80153ce5fa"], process),
  );
  assertEquals(own.check, "See which extensions of others are loaded.");
  const cut = explained(fault("type 14", "0xffffff80158b2f1b", ["0xffffff80152dab12"]));
  assertEquals(
    cut.check,
    "The whole report lists the extensions in the backtrace, if it has any.",
  );
  const listed = explained(fault(
    "type 14",
    "0xffffff7f9a389420",
    ["0xffffff80152dab12", "0xffffff7f9a389420"],
    `      Kernel Extensions in backtrace:
         org.example.driver.Cart(1.0)[CAEF0436-9079-33B1-B4F4-30B831C565FC]@0xffffff7f9a380000->0xffffff7f9a38ffff
${process}`,
  ));
  assertStringIncludes(listed.text, "Kernel extensions in the backtrace: org.example.driver.Cart.");
  assertEquals(listed.check, "See the extensions in the backtrace.");
});

Deno.test("a double fault: the message without its registers, and a stack that is full", () => {
  const double = (cr2: string) =>
    `panic(cpu 2 caller 0xffffff800a665b2c): "Double fault at 0xffffff800a592b00, registers:\\n" ` +
    `"CR0: 0x000000008001003b, CR2: ${cr2}, CR3: 0x000000014d4fc1a2, CR4: 0x00000000001626e0\\n" ` +
    `"RSP: 0xffffff810c86ffe0, RBP: 0xffffff810c870100, RSI: 0x0000000000000000, RDI: 0x0000000000000000\\n" ` +
    `"Error code: 0x0000000000000000\\n"@/sources/xnu/osfmk/i386/trap_native.c:168\n`;
  const full = explained(double("0xffffff810c86ffd8")).text;
  assertStringIncludes(full, "The kernel panicked: Double fault at 0xffffff800a592b00\n");
  assertStringIncludes(full, "while it handled one");
  assertStringIncludes(full, "8 bytes below the stack pointer: the stack was full.");
  const other = explained(double("0x0000000000000010")).text;
  assert(!other.includes("was full"), other);
});

Deno.test("a panic of PowerPC: the address, and the extension of its backtrace", () => {
  const { text } = explained(
    `panic(cpu 0 caller 0xFFFF0003): 0x300 - Data access
PC=0x450C5500; MSR=0x00009030; DAR=0x00004018; DSISR=0x42000000;
LR=0x450C4600; R1=0x45077C30; XCP=0x0000000C (0x300 - Data access)
Backtrace: 0x450C4600 0x00348ED8 0x0034A02C
      Kernel loadable modules in backtrace (with dependencies):
         org.example.Screen(5.4.8)@0x4509f000->0x450fbfff
            dependency: org.example.Base(1.7.3)@0x45000000
`,
  );
  assertStringIncludes(text, "The address was 0x4018, by a write.");
  assertStringIncludes(text, "Kernel extensions in the backtrace: org.example.Screen.");
});

Deno.test("a panic of watchdogd whose message is cut off", () => {
  const task = "Panicked task 0xffffff99e7198620: 3 threads: pid 101: watchdogd\n";
  assertStringIncludes(explained(task).text, "asks for a panic when a service did not answer");
  assertStringIncludes(
    explained(fault("type 14", "0xffffff80158b2f1b", ["0xffffff80152dab12"], task)).text,
    "The running process was watchdogd [101]; it need not be the cause.",
  );
});

Deno.test("a backtrace within the kernel, its address without the slide, and extensions of others that are loaded", () => {
  const { text, check } = explained(fault(
    "type 14",
    "0xffffff800da4136e",
    ["0xffffff800da1d626", "0xffffff800da4136e"],
    "\nBSD process name corresponding to current thread: Bakery\n\n" +
      "Kernel UUID: 69A5853F-375A-3EF4-9247-478FD0247333\nKernel slide:     0x000000000d800000\n" +
      "Kernel text base: 0xffffff800da00000\n\nloaded kexts:\ncom.bakery.Oven\t1.6.4\n" +
      "com.apple.driver.AppleUSBCDC\t4.1.22\nat.bakery.Loaf\t2.5.3\n",
  ));
  assertStringIncludes(text, "in the kernel itself, none in an extension");
  assertStringIncludes(text, "the instruction is at 0xffffff800024136e");
  assertEquals(
    check,
    "See which extensions of others are loaded: com.bakery.Oven, at.bakery.Loaf.",
  );
});
