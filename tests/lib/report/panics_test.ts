/** Kernel panics: what their registers and lists say of the fault. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { knowledge, knownPanic } from "../../../lib/report/knowledge/mod.ts";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";

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
  assertEquals(
    listed.check,
    "Update or remove what is not Apple's in the backtrace (org.example.driver.Cart), and see whether it comes again.",
  );
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

Deno.test("a panic that the watchdog asked for is not that of the extensions in its backtrace", () => {
  const text =
    `panic(cpu 2 caller 0xffffff7f8a001ad5): userspace watchdog timeout: no successful checkins from agentd since load

Backtrace (CPU 2), Frame : Return Address
0xffffff83c0000780 : 0xffffff7f8e17a6f4 org.example.Hook : _hookedTrap + 0x454
0xffffff83c0000970 : 0xffffff800a51a147 mach_kernel : _panic_trap_to_debugger + 0x227
0xffffff83c00009e0 : 0xffffff7f8a001ad5 com.apple.driver.watchdog : _ask + 0x27
      Kernel Extensions in backtrace:
         com.apple.driver.watchdog(1.0)[B6A95892-0000-0000-0000-6D83F30FA1D5]@0xffffff7f8a000000->0xffffff7f8a008fff
         org.example.Hook(1.1.8)[813DCDAE-0000-0000-0000-BCF9F3E72A56]@0xffffff7f8e16a000->0xffffff7f8e191fff

BSD process name corresponding to current thread: watchdogd
`;
  const { verdict, absent, deciding } = attributeReport(readReport(text, "x"));
  assertEquals([verdict, absent, deciding], ["system", "asked", null]);
  const { text: told } = explained(text);
  assertStringIncludes(told, "that of asking for the panic: it does not show what hung.");
  assert(!told.includes("org.example.Hook") && !told.includes("The running process"), told);
});

Deno.test("what panicking itself called is nobody's; the functions that led there are named", () => {
  const trap = (frames: string[]) => fault("type 14", "0xffffff80158b2f1b", frames);
  const hooked = trap([
    "0xffffff7f8e17a6f4 org.example.Hook : _hookedTrap + 0x454",
    "0xffffff80153ce000 mach_kernel : _kernel_trap + 0x60c",
    "0xffffff80158b2f1b mach_kernel : _cart_free + 0x10",
    "0xffffff80158b3f1b mach_kernel : __ZN4Cart5closeEv + 0x20",
    "0xffffff80158b4f1b mach_kernel : _unix_syscall64 + 0x3c0",
  ]);
  const { verdict, deciding } = attributeReport(readReport(hooked, "x"));
  assertEquals([verdict, deciding], ["system", null]);
  assertStringIncludes(
    explained(hooked).text,
    "It was in cart_free, called by _ZN4Cart5closeEv, unix_syscall64.",
  );
  const own = trap([
    "0xffffff80153ce000 mach_kernel : _kernel_trap + 0x60c",
    "0xffffff80158b2f1b mach_kernel : _bcopy + 0x10",
    "0xffffff7f8e17a6f4 org.example.driver.Cart : _fill + 0x454",
  ]);
  assertEquals(attributeReport(readReport(own, "x")).library, "org.example.driver.Cart");
  assertStringIncludes(explained(own).text, "bcopy, called by fill (org.example.driver.Cart)");
});

Deno.test("a general protection fault need not be an address: what the registers have", () => {
  const panic = (rdi: string) =>
    explained(
      `panic(cpu 0 caller 0xffffff8000297f8c): Kernel trap at 0xffffff7f8028f547, type 13=general protection, registers:
RAX: 0xffffff8000ce50c0, RBX: 0x000000477ae121b2, RCX: 0x0000000000000280, RDX: 0xffffff8032cc76e0
RSP: 0xffffff802d5bbd60, RBP: 0xffffff802d5bbd90, RSI: 0x0000000000000002, RDI: ${rdi}

Backtrace (CPU 0), Frame : Return Address
0xffffff8027f5c6d0 : 0xffffff7f8028f547 com.apple.driver.Cart : _enable + 0xb
`,
    ).text;
  const address = panic("0xc0ffee0000ce50c0");
  assertStringIncludes(address, "Not canonical as an address, so that an access by it fails");
  assertStringIncludes(address, "like this: RDI 0xc0ffee0000ce50c0.");
  const other = panic("0xffffff8032cc76e0");
  assert(!other.includes("Not canonical"), other);
  assertStringIncludes(other, "or an instruction that the CPU does not allow");
  // The backtrace names it, though the list of extensions is cut off.
  assert(!other.includes("the list that names it is not in the report"), other);
});

Deno.test("a transition that took too long is a driver's only where its message says so", () => {
  const panic = (words: string) =>
    explained(
      `panic(cpu 0 caller 0xffffff8000297f8c): Sleep transition timed out after 180 seconds while ${words}.\n`,
    ).text;
  assertStringIncludes(panic("calling power state change callbacks"), "A driver did not complete");
  for (const words of ["notifying applications", "writing the hibernation image"]) {
    assertStringIncludes(panic(words), "The machine did not go to sleep in time;");
    assert(!panic(words).includes("A driver did not"), words);
  }
});

Deno.test("the Mac's own panic in a file of the chip beside it is the Mac's", () => {
  const file = (mac: string) =>
    explained(
      `{"bug_type":"210"}\n${
        JSON.stringify({
          product: "iBridge2,5",
          macOSPanicString: mac,
          panicString: "panic(cpu 0 caller 0xfffffff0): macOS panic detected\n",
        })
      }`,
    ).text;
  assertStringIncludes(
    file("panic(cpu 2 caller 0xffffff8000297f8c): zone_require failed\n"),
    "The kernel panicked: zone_require failed",
  );
  assertStringIncludes(
    file("BAD MAGIC! (flag set in iBoot panic header), no macOS panic log available"),
    "The kernel of bridgeOS",
  );
});

Deno.test("a message that mail broke is whole; that watchdogd itself was silent is the system's hang", () => {
  const { text } = explained(
    "panic(cpu 8 caller 0xfffffe0000000c3c): watchdog timeout: no checkins from\n" +
      "watchdogd in 93 seconds (77 total checkins since monitoring last enabled)\n" +
      "Debugger message: panic Memory ID: 0xff OS release type: User\n",
  );
  assertStringIncludes(text, "no checkins from watchdogd in 93 seconds (77 total checkins");
  assertStringIncludes(text, "the system as a whole hung");
  const service = explained(
    "panic(cpu 8 caller 0xfffffe0000000c3c): userspace watchdog timeout: no successful checkins from agentd since wake\n" +
      "service returned not alive with context : queue is stuck\n",
  ).text;
  assertStringIncludes(service, "checkins from agentd since wake\n");
});

Deno.test("each row of a panic is found by its own words", () => {
  for (const row of knowledge) {
    if (row.kind === "panic") assertEquals(knownPanic(row.key)?.key, row.key);
  }
});

Deno.test("an extension without names of functions, by the address of the fault and the list's ranges", () => {
  const list = (at: string) =>
    `      Kernel Extensions in backtrace:
         com.apple.driver.Cart(1.0)${at}0xffffff7f9a380000->0xffffff7f9a38ffff
`;
  for (const at of ["@", " @"]) {
    const { text } = explained(
      fault("type 14", "0xffffff7f9a389420", ["0xffffff80152dab12"], list(at)),
    );
    assertStringIncludes(text, "It was in com.apple.driver.Cart + 0x9420.");
    assert(!text.includes("the list that names it"), text);
  }
});

Deno.test("a piece of a panic of PowerPC that begins with its trap", () => {
  const piece = (registers: string, backtrace: string) =>
    explained(
      `Unresolved kernel trap(cpu 0): 0x300 - Data access DAR=0x000000000DEF0CF7 PC=0x00000000007A2260
Latest crash info for cpu 0:
   Exception state (sv=0x3AA12A00)
      PC=0x007A2260; MSR=0x00009030; DAR=0x0DEF0CF7; ${registers}
      Backtrace:${backtrace}
      Kernel loadable modules in backtrace (with dependencies):
         org.example.driver.Cart(3.4.4)@0x797000
`,
    );
  const whole = piece("DSISR=0x42000000; LR=0x007A1D48", " 0x01BC80AC 0x007A1D48");
  assertStringIncludes(whole.text, "The kernel panicked: 0x300 - Data access");
  assertStringIncludes(whole.text, "The address was 0xdef0cf7, by a write.");
  assertStringIncludes(whole.text, "Kernel extensions in the backtrace: org.example.driver.Cart.");
  // The list has only where the module begins.
  assertStringIncludes(whole.text, "It was in org.example.driver.Cart + 0xb260.");
  const cut = piece("...", "\n0x01BC80AC 0x007A1D48 0x0079FA54 \n         0x0079FF94 0x0079FEBC ");
  assertStringIncludes(cut.text, "The address was 0xdef0cf7.");
  assert(!cut.text.includes("The backtrace is not in the report"), cut.text);
});

Deno.test("a name in a message is not what it is about; a sensor that is missing is", () => {
  const told = (message: string) => explained(`panic(cpu 0 caller 0xfffffff01): ${message}\n`).text;
  assertStringIncludes(
    told(`"busy timeout[0], (60s): 'ExampleANS2Controller'"@/x/IOService.cpp:1`),
    "A device's driver did not finish its start in time.",
  );
  assertStringIncludes(
    told("ANS2 Recoverable Panic - assert"),
    "The storage controller's firmware",
  );
  const sensor = explained(
    "panic(cpu 0 caller 0xfffffff01): userspace watchdog timeout: no successful checkins from agentd since load\n" +
      "service returned not alive with context : unhealthy: mask 0x20, Missing sensor(s): TP1A\n",
  );
  assertStringIncludes(sensor.text, "The thermal monitor got no data of a sensor.");
  assertStringIncludes(sensor.check, "have the hardware checked");
});

Deno.test("a link of PCI Express: which device is at the port, and what happened to it", () => {
  const link = (words: string) =>
    explained(`panic(cpu 3 caller 0xfffffe0013823d64): "apcie[${words} linksts=0x0" @Port.cpp:1\n`)
      .text;
  assertStringIncludes(
    link("2:lan-1gb]::_linkDownInterrupt: Unexpected link down"),
    "the link to the built-in Ethernet controller at the port lan-1gb that went down unexpectedly",
  );
  assertStringIncludes(
    link("0:s3e]::handleCompletionTimeoutInterrupt: completion timeout"),
    "the link to the built-in storage at the port s3e by which a request was not answered in time.",
  );
  assertStringIncludes(link("3:oven]::bake: hot"), "the link to its device at the port oven.");
});

Deno.test("a restart by the buttons is nobody's; who did not check in with a watchdog is told", () => {
  const restart = "panic(cpu 0 caller 0xfffffe0010000001): btn_rst\n" +
    "Panicked thread: 0x1, backtrace: 0x2, tid: 3\n" +
    "\t\t  lr: 0xfffffe0010000000  fp: 0xfffffe3000000010\n" +
    "      Kernel Extensions in backtrace:\n" +
    "         com.apple.driver.Buttons(1.0)[38E011C0-DE3E-39EF-A736-8C81BEC719B2]@0xfffffe0010000000->0xfffffe0010000fff\n";
  const { verdict, absent } = attributeReport(readReport(restart, "x"));
  assertEquals([verdict, absent], ["system", "restart"]);
  assertStringIncludes(explained(restart).text, "is that of the buttons");
  const silent = (words: string) =>
    explained(`panic(cpu 0 caller 0xffffff7f8a001ad5): ${words}\n`).text;
  assertStringIncludes(
    silent("userspace watchdog timeout: no successful checkins from org.example.agentd since load"),
    "org.example.agentd did not check in once since it was loaded",
  );
  assertStringIncludes(
    silent(
      "userspace watchdog timeout: no successful checkins from com.apple.ovend (1 induced crashes) in 120 seconds",
    ),
    "com.apple.ovend did not check in for 120 seconds: it hung",
  );
  assertStringIncludes(
    silent(
      "watchdog timeout: no checkins from watchdogd in 95 seconds (3452 total checkins since monitoring last enabled)",
    ),
    "watchdogd did not check in for 95 seconds, after 3452 times that it did.",
  );
});

Deno.test("a backtrace that may not be whole does not say that no extension is in it", () => {
  const backtrace =
    'panic(cpu 1 caller 0xffffff800affef06): "thread_invoke: preemption_level -1, possible cause: unlocking an unlocked mutex or spinlock"@/sched_prim.c:2263\n' +
    "Backtrace (CPU 1), Frame : Return Address\n" +
    "0xffffff801201baa0 : 0xffffff800afe24a3 mach_kernel : _panic + 0x63\n" +
    "0xffffff801201bb10 : 0xffffff800affef06 mach_kernel : _thread_invoke + 0x66\n" +
    "0xffffff801201bc60 : 0xffffff800b4fd352 mach_kernel : _msleep + 0x62\n";
  assertEquals(attributeReport(readReport(backtrace, "x")).absent, "extension cut");
  const whole = `${backtrace}\nBSD process name corresponding to current thread: kernel_task\n`;
  assertEquals(attributeReport(readReport(whole, "x")).absent, "extension");
  assertStringIncludes(explained(whole).text, "what released it need not be in the backtrace");
});

Deno.test("a check of IOKit that a process's call of a driver failed", () => {
  const wired = (end: string[], rest = "") =>
    explained(
      `panic(cpu 0 caller 0xffffff8017a6ab04): "IOGMD: not wired for the IODMACommand"@/x/IOMemoryDescriptor.cpp:1
Backtrace (CPU 0), Frame : Return Address
${
        [
          "0xffffff80173ac283 mach_kernel : _panic + 0x63",
          "0xffffff8017a6ab04 mach_kernel : __ZNK25IOGeneralMemoryDescriptor19dmaCommandOperationEjPvj + 0x724",
          ...end,
        ].map((frame, at) => `0xffffff80727fb${at}a0 : ${frame}`).join("\n")
      }
${rest}`,
    );
  const call = [
    "0xffffff7f983ae40c org.example.driver.Cart : __ZN4Cart4readEv + 0x190",
    "0xffffff8017a8e5ff mach_kernel : _is_io_connect_method + 0x20f",
    "0xffffff801735a486 mach_kernel : _hndl_mach_scall64 + 0x16",
  ];
  const { text } = wired(call);
  assertStringIncludes(text, "used memory for a transfer");
  assertStringIncludes(
    text,
    "A process's call of a driver, by IOKit's user client, led there; which process is not in the report.",
  );
  const named = wired(call, "\nBSD process name corresponding to current thread: Shop\n").text;
  assertStringIncludes(named, "by IOKit's user client, led there.");
  assertStringIncludes(
    wired(call.slice(2)).text,
    "A process's call of the kernel (a Mach trap) led there",
  );
  // What was interrupted did not lead there.
  const interrupted = ["0xffffff8017359d2c mach_kernel : _hndl_allintrs + 0x11c", ...call];
  assert(!wired(interrupted).text.includes("led there"));
});

Deno.test("modules of which only the begin is told end where the next one begins; a graphics chip that is gone", () => {
  const trap = (pc: string, modules: readonly string[]): string =>
    explained(
      `Unresolved kernel trap(cpu 0): 0x300 - Data access DAR=0x000000000DEF0CF7 PC=0x00000000${pc}
Latest crash info for cpu 0:
      PC=0x${pc}; MSR=0x00009030; DAR=0x0DEF0CF7; DSISR=0x40000000; LR=0x00001D48
      Backtrace: 0x00001D48
      Kernel loadable modules in backtrace (with dependencies):
${modules.join("\n")}
`,
    ).text;
  const modules = [
    "com.apple.driver.Cart(3.4.4)@0x797000",
    "   dependency: com.apple.iokit.Shop(1.5.0)@0x799000",
  ];
  assertStringIncludes(trap("00798260", modules), "It was in com.apple.driver.Cart + 0x1260.");
  for (const other of ["00799260", "01798260", "00796000"]) {
    assert(!trap(other, modules).includes("It was in"), other);
  }
  assertStringIncludes(
    explained(
      "panic(cpu 0 caller 0xfffffff01): NVRM[0/1:0:0]: Read Error 0x00000100: CFG 0xffffffff 0xffffffff 0xffffffff, BAR0 0xd2000000\n",
    ).text,
    "the chip no longer answered",
  );
});
