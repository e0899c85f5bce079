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
    "If it comes again, try without the extensions of others that are loaded, though none is in the backtrace: com.bakery.Oven, at.bakery.Loaf.",
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
    "It was in cart_free, called by Cart::close(), unix_syscall64.",
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
  assertStringIncludes(
    address,
    "Not canonical as an address, so that an access by such a register would",
  );
  assertStringIncludes(address, "fail like this: RDI 0xc0ffee0000ce50c0.");
  assertStringIncludes(address, "most likely read from memory that had been freed");
  // RDX has it but for one bit.
  const flipped = panic("0xf7ffff8032cc76e0");
  assertStringIncludes(flipped, "RDI is RDX (0xffffff8032cc76e0) but for one bit, bit 59");
  assert(!address.includes("but for one bit"), address);
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
  assertStringIncludes(
    panic("calling power state change callbacks"),
    "A driver did not complete a power state change in time while the machine went to sleep.",
  );
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
    // Those of a project are looked up where no words are known.
    if (row.kind !== "panic" || row.key.startsWith("Sources/")) continue;
    assertEquals(knownPanic(row.key)?.key, row.key);
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
  assert(!cut.text.includes("No backtrace was found in the report"), cut.text);
});

Deno.test("a name in a message is not what it is about; a sensor that is missing is", () => {
  const told = (message: string) => explained(`panic(cpu 0 caller 0xfffffff01): ${message}\n`).text;
  assertStringIncludes(
    told(`"busy timeout[0], (60s): 'ExampleANS2Controller'"@/x/IOService.cpp:1`),
    "The drivers did not come to rest in time",
  );
  assertStringIncludes(
    told("ANS2 Recoverable Panic - assert"),
    "The firmware of the controller of the built-in storage",
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

const list = `      Kernel Extensions in backtrace:
         org.example.driver.Cart(1.0)[CAEF0436-9079-33B1-B4F4-30B831C565FC]@0xffffff7f9a380000->0xffffff7f9a38ffff
`;
const listed = (message: string, rest = "") =>
  `panic(cpu 0 caller 0xffffff800a652ab5): ${message}
Backtrace (CPU 0), Frame : Return Address
0xffffff83c02cb6a0 : 0xffffff800a51868d 
0xffffff83c02cb7f0 : 0xffffff7f9a382ab5 
${list}
BSD process name corresponding to current thread: kernel_task
${rest}`;

Deno.test("an extension in the backtrace of firmware's, hardware's and watchdogs' panics is not blamed", () => {
  for (
    const [message, words] of [
      ["AOP PANIC - a sensor's bus", "firmware of the always-on coprocessor"],
      ["SMC PANIC - ASSERTION FAILED: a sensor", "firmware of the system management controller"],
      ["dart-disp0 (0xfffffe2332fdc000): SMMU error: SID 0", "translation of addresses (DART)"],
      [
        "IPI timeout, unresponsive CPU bitmap: 0x14, NMIPI acks: 0x0",
        "Without an answer: CPU 2, 4.",
      ],
      [
        'nvme: "Fatal error occurred. CSTS=0xffffffff US[1]=0x0"',
        "nothing but ones, as of a device that does not answer",
      ],
      ["CART: pci restore invalid deviceid 0x00000000", "another identity than before"],
      ["CART(Mac): thunderbolt power on failed 0xe00002c0", "controller did not come back"],
      ["initproc exited -- exit reason namespace 2 subcode 0xa description: none", "signal SIGBUS"],
      [
        "initproc failed to start -- exit reason namespace 6 subcode 0x1 description: Library not loaded: /usr/lib/libCart.dylib",
        "The reason is DYLD, 0x1: a library is missing",
      ],
      [
        "zone map exhausted while allocating from zone [kalloc.48], likely due to memory leak in zone [kalloc.48] (21G, 474M elements allocated)",
        "The largest zone is kalloc.48, with 21G in 474M elements",
      ],
      [
        "CartFramebuffer::setPowerState(0xffffff8 : 0xffffff7, 0 -> 1) timed out after 45732 ms",
        "The driver is CartFramebuffer, which was to go from the power state 0 to 1",
      ],
    ]
  ) {
    const report = readReport(listed(message), "x");
    const { absent, deciding } = attributeReport(report);
    assertEquals([absent, deciding], ["elsewhere", null], message);
    const { text } = explained(listed(message));
    assertStringIncludes(text, words);
    assertStringIncludes(text, "Kernel extensions in the backtrace, which is that of ");
  }
  const own = listed("a count of Cart's is wrong");
  assertEquals(attributeReport(readReport(own, "x")).library, "org.example.driver.Cart");
  assertStringIncludes(explained(own).text, "by panic(); the message is its own");
});

Deno.test("a part of a function of panicking is passed over; an access that is misaligned", () => {
  const kfree = listed("kfree: addr 0xffffffba7b14bd16, size 2 (offs:0) not found in any zone")
    .replace(
      "0xffffff83c02cb6a0 : 0xffffff800a51868d ",
      "0xffffff83c02cb690 : 0xffffff800a51868d mach_kernel : _panic + 0x1\n" +
        "0xffffff83c02cb6a0 : 0xffffff800a652ab5 mach_kernel : _panic_with_thread_context + 0x1bb2\n" +
        "0xffffff83c02cb6b0 : 0xffffff800a652ac5 mach_kernel : _IOFree + 0x1b",
    ).replace("0xffffff7f9a382ab5 ", "0xffffff7f9a382ab5 org.example.driver.Cart : _bake + 0x6e");
  assertStringIncludes(
    explained(kfree).text,
    "The panic was raised in IOFree, called by bake (org.example.driver.Cart).",
  );
  assertStringIncludes(explained(kfree).text, "the kernel's allocator does not know so");
  const misaligned = explained(
    "panic(cpu 0 caller 0xfffffe0026aed5d8): Kernel data abort. at pc 0xfffffe0026aed514, lr 0xfffffe0026aed5d8\n" +
      "  pc: 0xfffffe0026aed514 cpsr: 0x60401208 esr: 0x96000021 far: 0xfffffe1002bdc01b\n",
  ).text;
  assertStringIncludes(misaligned, "misaligned (an alignment fault)");
});

Deno.test("where a panic was raised, by the project that the message ends with", () => {
  const { text } = explained(listed(
    '"a value is wrong\\n"@/Library/Caches/com.apple.xbs/Sources/GPUDriversIntel/GPUDriversIntel-1.2/Common/IGCart.cpp:14',
  ));
  assertStringIncludes(text, "A check of Intel's graphics driver failed");
  assertStringIncludes(
    text,
    "Its place in the source is IGCart.cpp, line 14, of GPUDriversIntel.",
  );
  assertStringIncludes(
    explained(listed('"a hash is wrong\\n" @IOGPUGroupMemory.cpp:28')).text,
    "its lists of memory did not fit together",
  );
});

Deno.test("watchdogd's list of services: whether others were late too; memory that was nearly used up", () => {
  const told = (other: number) =>
    explained(listed(
      `userspace watchdog timeout: no successful checkins from cartd (2 induced crashes) in 180 seconds
cartd returned not alive with context : no answer of the till
service: logd, total successful checkins in 3900 seconds: 390, last successful checkin: 0 seconds ago
service: tilld, total successful checkins in 3900 seconds: 380, last successful checkin: ${other} seconds ago
service: cartd (2 induced crashes), total successful checkins in 3900 seconds: 360, last successful checkin: 180 seconds ago
`,
      "Compressor Info: 28% of compressed pages limit (OK) and 100% of segments limit (BAD) with 45 swapfiles and OK swap space\n",
    )).text;
  assertStringIncludes(told(0), "that it is not alive: no answer of the till");
  assertStringIncludes(told(0), "(2 induced crashes)");
  assertStringIncludes(told(0), "(logd, tilld) had answered in time");
  assertStringIncludes(told(70), "Late as well, by the list of services: tilld (70 s)");
  assertStringIncludes(told(0), "memory compressor was at 100% of its limit of segments");
});

Deno.test("the list of services of a panic in JSON; memory only where it may have led to the panic", () => {
  const compressor =
    "Compressor Info: 28% of compressed pages limit (OK) and 100% of segments limit (BAD) with 45 swapfiles and OK swap space\n";
  const json = (message: string) =>
    explained(
      '{"bug_type":"210","os_version":"macOS 14.1 (23B74)"}\n' + JSON.stringify({
        build: "macOS 14.1 (23B74)",
        panicString: `panic(cpu 1 caller 0xfffffe0021950000): ${message}\n${compressor}`,
      }),
    ).text;
  const watchdog = json(
    "userspace watchdog timeout: no successful checkins from cartd (1 induced crashes) in 120 seconds\n" +
      "cartd returned not alive with context : no till\n" +
      "service: logd, total successful checkins in 390 seconds: 39, last successful checkin: 0 seconds ago\n" +
      "service: cartd (1 induced crashes), total successful checkins in 380 seconds: 26, last successful checkin: 120 seconds ago\n",
  );
  assertStringIncludes(watchdog, "not alive: no till");
  assertStringIncludes(watchdog, "(1 induced crash)");
  assertStringIncludes(watchdog, "(logd) had answered in time");
  assertStringIncludes(watchdog, "Memory was nearly used up");
  assert(!json("AOP PANIC - a sensor's bus").includes("Memory was"));
});

Deno.test("a copy that begins behind the first word of a panic", () => {
  for (const before of ["", "The till stopped:\n"]) {
    assertStringIncludes(
      explained(before + listed("a count is wrong").replace("panic(cpu", "(cpu")).text,
      "The kernel panicked: a count is wrong",
    );
  }
});

Deno.test("a CPU that did not answer has its backtrace before the message", () => {
  const { text } = explained(
    `Panic(CPU 3, time 23): NMIPI for unresponsive processor: TLB flush timeout, TLB state:0x0
Backtrace (CPU 3), Frame : Return Address
0xffffff92250a31d0 : 0xffffff8007860000 mach_kernel : _NMIInterruptHandler + 0xe2
0xffffff92250a31d1 : 0xffffff7f9a2c4d60 org.example.Radio : _spin + 0x12
` + listed("IPI timeout, unresponsive CPU bitmap: 0x8, NMIPI acks: 0x0"),
  );
  assertStringIncludes(
    text,
    "that of CPU 3, which did not answer; in it: org.example.Radio.",
  );
});

Deno.test("the system of a panic by its build and its kernel; old kernels' registers beside the message", () => {
  const headline = (text: string) => explainReport(readReport(text, "x")).headline;
  const kernel = (version: string, kind: string) =>
    `Kernel version: Darwin Kernel Version ${version}: Thu Oct 29 22:56:45 PDT 2020; root:xnu-1~1/RELEASE_${kind}\n`;
  const system = (build: string, version: string, kind: string) =>
    headline(listed("a", `OS version: ${build}\n${kernel(version, kind)}`));
  assertEquals(system("22G91", "22.6.0", "ARM64_T8103"), "kernel panic, on macOS 13 (22G91)");
  assertEquals(system("25D20", "25.3.0", "ARM64_T6020"), "kernel panic, on macOS 26 (25D20)");
  // Another system's build.
  assertEquals(system("20C65", "22.2.0", "ARM64_T8020"), "kernel panic, on iOS 16 (20C65)");
  const old = (registers: string, message: string, kind: string) =>
    `panic(cpu 0 caller 0xFFFF0003): ${message}
${registers}
      Kernel loadable modules in backtrace (with dependencies):
         org.example.Screen(5.4.8)@0xa12000
            dependency: org.example.Base(1.7.3)@0x46b000
${kernel("8.8.0", kind)}`;
  const powerpc = old(
    "      PC=0x00A31B24; MSR=0x00009030; DAR=0x3D38134E; DSISR=0x40000000;\n      Backtrace:\n0x00A31C20 0x00A187DC",
    "0x300 - Data access",
    "PPC",
  );
  assertEquals(headline(powerpc), "kernel panic, on Mac OS X 10.4 (Darwin 8.8.0), PowerPC");
  assertStringIncludes(explained(powerpc).text, "It was in org.example.Screen + 0x1fb24.");
  const intel = explained(old(
    "CR0: 0x8001003b, CR2: 0xaedac033, CR3: 0x00dd0000, CR4: 0x000006e0\nEFL: 0x00010202, EIP: 0x00a13c84, CS: 0x00000008",
    "Unresolved kernel trap (CPU 1, Type 14=page fault), registers:",
    "I386",
  )).text;
  assertStringIncludes(intel, "The address was 0xaedac033.");
  assertStringIncludes(intel, "It was in org.example.Screen + 0x1c84.");
});

Deno.test("Apple's extensions alone in a backtrace: advice that can be followed; whose call it was", () => {
  const text = listed("a count is wrong").replaceAll("org.example.driver.Cart", "com.apple.Cart")
    .replace("kernel_task", "shopd")
    .replace(
      "0xffffff83c02cb7f0",
      "0xffffff83c02cb700 : 0xffffff800a652ab5 mach_kernel : _panic + 0x1\n" +
        "0xffffff83c02cb710 : 0xffffff800a652ac5 mach_kernel : _is_io_connect_method + 0x1\n0xffffff83c02cb7f0",
    );
  const { text: told, check } = explained(text);
  assertStringIncludes(check, "The extensions in the backtrace are Apple's: install updates");
  assertStringIncludes(told, "It was a call of the running process, shopd;");
});

Deno.test("a service that answers what is the matter did not hang; extensions only where they are listed", () => {
  const text = (service: string, said: string) =>
    `panic(cpu 12 caller 0xffffff800cf8099f): userspace watchdog timeout: no successful checkins from ${service} since wake
service returned not alive with context : is_alive_func returned ${said}
service: logd, total successful checkins since wake (80 seconds ago): 9, last successful checkin: 0 seconds ago
service: ${service}, no successful checkins since wake (80 seconds ago)

Backtrace (CPU 12), Frame : Return Address
0xfffffff2b6ee3690 : 0xffffff8009a79a3d
0xfffffff2b6ee36e0 : 0xffffff8009bdcd16
`;
  const link = explainReport(readReport(text("remoted", "unhealthy : device not connected"), "x"));
  const told = link.happened.join("\n");
  assertStringIncludes(told, "the system of the T2 chip talk, answered that it is not well");
  assertStringIncludes(told, "since the machine woke up; it answered, so that it did not hang");
  assertStringIncludes(told, "(logd) had answered in time");
  assert(!told.includes("extensions in it"), told);
  assert(!link.causes.join().includes("a hung system service"), link.causes.join());
  const other = explainReport(readReport(text("tilld", "unhealthy : no coins"), "x"));
  assertEquals(other.causes, []);
  // One that does not answer may hang.
  const silent = explainReport(readReport(text("tilld", "a queue that is stuck"), "x"));
  assertStringIncludes(silent.causes.join(), "a hung system service");
});

Deno.test("advice for a panic is for the system that it was on", () => {
  const panic = (os: string, words: string, rest = "") =>
    explained(
      JSON.stringify({ bug_type: "210", os_version: os }) + "\n" + JSON.stringify({
        build: os,
        panicString: `panic(cpu 1 caller 0xfffffff0): ${words}\n${rest}`,
      }),
    ).check;
  const freed = "Zone cache element was used after free! Element 0x1 in zone cart";
  assertStringIncludes(panic("macOS 14.1 (23B74)", freed), "Update or remove extensions");
  assertEquals(panic("iPhone OS 17.1 (21B74)", freed), "Install updates of the system.");
  const nvme = "nvme: Fatal error occurred. CSTS=0x1 US[1]=0x0";
  assertStringIncludes(panic("iPhone OS 17.1 (21B74)", nvme), "Back up");
  const silent = "userspace watchdog timeout: no successful checkins from cartd in 120 seconds";
  const { length } = panic("iPhone OS 17.1 (21B74)", silent).split(";");
  assertEquals(length, 1);
  assertStringIncludes(panic("macOS 14.1 (23B74)", silent), "disconnect devices");
});

Deno.test("what holds the registry of devices busy; a process that ended by what the message says", () => {
  const of = (words: string) =>
    explainReport(readReport(`panic(cpu 0 caller 0xffffff8000297f8c): ${words}\n`, "x"));
  const root = of(
    "busy timeout[0], (60s): registry root held busy, kernelmanagerd has not checked in",
  );
  assert(!root.happened.join().includes("one of them did not finish"), root.happened.join());
  assertEquals(root.causes, []);
  const one = of("busy timeout[0], (60s): 'AppleCart' (1,2)");
  assertStringIncludes(one.happened.join(), "one of them did not finish");
  assertEquals(of("IOKit Daemon (kernelmanagerd) stall[0], (240s): 'Cart' (1,2)").causes, []);
  assertEquals(
    of("cartd exited -- exit reason namespace 2 subcode 0xb description: none").causes,
    [],
  );
  // One that only asks for a lock is no time-out.
  assert(!of("Spinlock not owned by thread 0x1 = 0x2").happened.join().includes("waited too long"));
  assertStringIncludes(
    of("Spinlock acquisition timed out: lock=0x1, lock owner thread=0x2").happened.join(),
    "waited too long",
  );
  assert(!of("CartGPU::setPowerState: 3D engine is busy").happened.join().includes("in time"));
});

Deno.test("what the device of an NVMe panic says of itself, and who made it", () => {
  const told = (message: string) =>
    explained(`panic(cpu 6 caller 0xffffff8014ac2838): ${message}`).text;
  const ready = told('nvme: "Fatal error occurred. CSTS=0x1 US[1]=0x0 VID=0x144d DID=0xa809"');
  assertStringIncludes(ready, "(CSTS 0x1) says that it is ready, and of no fatal error");
  assertStringIncludes(ready, "The device's vendor (0x144d) is Samsung.");
  const failed = told('nvme: "Fatal error occurred. CSTS=0x3 VID/DID=0x2260126f"');
  assertStringIncludes(failed, "(CSTS 0x3) the device had a fatal error.");
  assertStringIncludes(failed, "(0x126f) is Silicon Motion.");
  const gone = told('nvme: "Fatal error occurred. CSTS=0xffffffff VID=0xffff DID=0xffff"');
  assert(!/status register|vendor/.test(gone), gone);
});

Deno.test("the bank of a machine check that could not be corrected; whose line somebody marked", () => {
  const { text } = explained(
    " Processor 0: IA32_MCG_STATUS: 0x0000000000000005\n  IA32_MC1_STATUS(0x405): 0xbf80000000000114\n" +
      "  IA32_MC2_STATUS(0x409): 0x8000000000000400\n" +
      'panic(cpu 2 caller 0xffffff8016c07125): "Machine Check at 0x00007fff7dd40e93, registers:"@/trap_native.c:168\n' +
      "Backtrace (CPU 2), Frame : Return Address\n0xffffff922c27bdd0 : 0xffffff8016af368c \n\n" +
      "**BSD process name corresponding to current thread: Baker**\n",
  );
  assertStringIncludes(text, "in the CPU's bank 1 (status 0xbf80000000000114), in a cache.");
  assertStringIncludes(text, "The running process was Baker;");
});

Deno.test("a jump of a 32-bit kernel of iOS, whose backtrace has addresses alone; a register of NVIDIA's", () => {
  const { text, check } = explained(
    "    Hardware Model:      iPod5,1\n    OS Version:          iOS 9.3.2 (13F69)\n\n" +
      "panic(cpu 0 caller 0x<ptr>): sleh_abort: prefetch abort in kernel mode: fault_addr=0x857e7000\n" +
      "r0:   0x96961a40  r1: 0x857e7000  r2: 0x8c000001  r3: 0x00000001\n" +
      "cpsr: 0x80000013 fsr: 0x0000000f far: 0x857e7000\n\nDebugger message: panic\nOS version: 13F69\n" +
      "Panicked task 0xc65784c8: 926 pages, 8 threads: pid 164: baker\n" +
      "panicked thread: 0xc67478b0, backtrace: 0x800aba00\n\t0x854c9b63\n\t0x854c9e39\n\t0x85420f63\n",
  );
  assertStringIncludes(text, "The kernel jumped to an address that is not code, or");
  assertStringIncludes(text, "The address was 0x857e7000, which it executed.");
  assertStringIncludes(text, "a permission fault");
  assert(!text.includes("No backtrace"), text);
  assertEquals(check, "Install updates of the system.");
  const gpu = explained(
    'panic(cpu 0 caller 0xffffff7f9ba70fb0): "GPU Panic: NVRM[0/1:0:0]: Read Error 0x00000144: CFG 0x0fe910de 0x00100406 0xc0000000, D0"',
  );
  assertStringIncludes(gpu.text, "while the chip's configuration could still be read");
});

Deno.test("the system of a panic by its build and its kernel; a register of text; a lock taken twice", () => {
  const systems = (build: string, darwin: string, machine: string) =>
    readReport(
      `panic(cpu 0 caller 0xffffff801befcc1c): "Kernel data abort"\nDebugger message: panic\nOS version: ${build}\n` +
        `Kernel version: Darwin Kernel Version ${darwin}: Mon Jun 20 20:10:22 PDT 2016; root:xnu-1~1/RELEASE_${machine}\n`,
      "x",
    ).osVersion;
  assertEquals(systems("13G34", "15.6.0", "ARM64_S8000"), "iOS 9 (13G34)");
  assertEquals(systems("23B85", "25.1.0", "ARM64_T8030"), "iOS 26 (23B85)");
  assertEquals(systems("17P5300", "19.5.0", "ARM64_T8010"), "bridgeOS (17P5300)");
  assertEquals(systems("25B78", "25.1.0", "ARM64_T8103"), "macOS 26 (25B78)");
  const text = explained(
    "panic(cpu 0 caller 0xffffff8000297f8c): Kernel trap at 0xffffff7f8028f547, type 13=general protection, registers:\n" +
      "RAX: 0xffffff8000ce50c0, RBX: 0x000000477ae121b2, RDI: 0x4141414141414141\n",
  ).text;
  assertStringIncludes(text, 'Its bytes are the text "AAAAAAAA"');
  const lock = explainReport(readReport(
    "panic(cpu 0 caller 0xffffff8000297f8c): Spinlock acquisition timed out: lock=0xffffff871d3f9740, lock owner thread=0xffffff8720cd5d10, current_thread: 0xffffff8720cd5d10\n",
    "x",
  ));
  assertStringIncludes(lock.happened.join(), "it took it twice");
  assertEquals(lock.causes, ["a bug in the kernel or an extension"]);
});

Deno.test("what part of the kernel raised a panic of its own, and checks of locks and registers", () => {
  const told = (message: string) =>
    explained(`panic(cpu 2 caller 0xfffffe0012345678): ${message}`).text;
  assertStringIncludes(
    told('"vnode_put: iocount < 1" @vfs_subr.c:5555'),
    "Its place in the source is vfs_subr.c, line 5555, of the kernel itself: its code for files and volumes.",
  );
  assertStringIncludes(
    told(
      '"strange"@/BuildRoot/Library/Caches/com.apple.xbs/Sources/xnu/xnu-4570.51.1/iokit/Kernel/IOWorkLoop.cpp:22',
    ),
    "IOWorkLoop.cpp, line 22, of the kernel itself: its code for drivers in general (IOKit).",
  );
  const other = told('"strange" @IOBakery.cpp:22');
  assert(!other.includes("kernel itself"), other);
  assertStringIncludes(
    told("Read from IO virtual addr 0xfffffe10 took 3200000 ns, result: 0x0"),
    "access to a device's register took longer than is allowed",
  );
  assertStringIncludes(
    told("Invalid/destroyed mutex 0xfffffe10: <0x000000 0x00 0x00000000>"),
    "A lock was used that is none",
  );
  assertStringIncludes(
    told("Mutex 0xfffffe10 is unexpectedly not owned by thread 0xfffffe20"),
    "A thread released a lock that it did not hold, or was to hold one",
  );
  assertStringIncludes(
    told("map_count_dec: refcnt underflow: old_value 0 value 65535"),
    "it was released more often than it was taken",
  );
  assertStringIncludes(told("CATERR detected! No MCA data found."), "fatal hardware error");
});

Deno.test("memory of a process that the CPU keeps the kernel from; a Mac's build without its kernel", () => {
  const fault = (kind: string) =>
    "panic(cpu 3 caller 0xffffff801f809f3a): Kernel trap at 0xffffff7fa264c9d4, type 14=page fault, registers:\n" +
    "RFL: 0x0000000000010246, RIP: 0xffffff7fa264c9d4, CS:  0x0000000000000008, SS:  0x0000000000000010\n" +
    `Fault CR2: 0x000000010fbbf690, Error code: 0x0000000000000001, Fault CPU: 0x3${kind}, PL: 0\n\n` +
    "Backtrace (CPU 3), Frame : Return Address\n0xffffff9209a8ba00 : 0xffffff801f6f748c \n\nMac OS version:\n16A294a\n";
  assertStringIncludes(
    explained(fault(" SMAP fault")).text,
    "memory of a process: the CPU keeps the kernel from using it but by functions that are made for that (SMAP).",
  );
  assertStringIncludes(explained(fault(" SMEP/User NX fault")).text, "from executing it (SMEP).");
  assert(!explained(fault("")).text.includes("memory of a process"));
  assertEquals(readReport(fault(""), "x").osVersion, "macOS 10.12 (16A294a)");
});

Deno.test("Apple's extensions in a backtrace: advice to do without what they serve; a piece from the backtrace on", () => {
  const advice = (name: string) =>
    explained(
      'panic(cpu 0 caller 0xffffff8017a6ab04): "freed twice"@/strange.cpp:7\nBacktrace (CPU 0), Frame : Return Address\n' +
        "0xffffff80727fb5a0 : 0xffffff7f983ae40c \n      Kernel Extensions in backtrace:\n" +
        `         ${name}(1.0)[B3A7BE9C-2002-3891-B7D1-A84CEA0AC9E0]@0xffffff7f9838c000->0xffffff7f98426fff\n\n`,
    ).check;
  assertStringIncludes(advice("com.apple.iokit.IOUSBFamily"), "and try without USB devices.");
  assertStringIncludes(advice("com.apple.iokit.EndpointSecurity"), "without security software");
  assert(advice("com.apple.driver.AppleSEPKeyStore").endsWith("updates of the system."));
  assertStringIncludes(
    advice("com.apple.driver.Unheard"),
    "the devices or volumes that they serve",
  );
  const piece = explained(
    "Backtrace (CPU 2), Frame : Return Address\n0xffffff816e45baf0 : 0xffffff800da1d626 \n" +
      "0xffffff816e45bb60 : 0xffffff800dab7bd5 \n\nBSD process name corresponding to current thread: Baker\n\n" +
      "Mac OS version:\n12C60\n",
  );
  assertStringIncludes(piece.text, "The kernel panicked; the message was cut off.");
  assertStringIncludes(piece.text, "The running process was Baker;");
});

Deno.test("services that watchdogd made crash before: others of its list, and one that could not be ended", () => {
  const list = (first: string, more: string, other: string) =>
    explained(
      `panic(cpu 2 caller 0xfffffe002c00b85c): userspace watchdog timeout: no successful checkins from ${first} (2 induced crashes) in 120 seconds\n` +
        `${more}service: ${other}, total successful checkins in 271 seconds: 27, last successful checkin: 0 seconds ago\n` +
        `service: ${first} (2 induced crashes), total successful checkins in 230 seconds: 11, last successful checkin: 120 seconds ago\n` +
        "service: configd, total successful checkins in 271 seconds: 26, last successful checkin: 0 seconds ago\n\nDebugger message: panic\n",
    ).text;
  const others = list("drawd", "", "logd (1 induced crash)");
  assertStringIncludes(others, "watchdogd had made drawd crash before, to have it started again");
  assertStringIncludes(
    others,
    "It had done so to others of the list too, which had not answered in time before: logd (1 induced crash).",
  );
  assertStringIncludes(others, "(logd, configd) had answered in time now: not all of the system");
  const stuck = list("drawd", "drawd has not exited since first loaded\n", "logd");
  assertStringIncludes(
    stuck,
    "watchdogd had asked for a crash of drawd before (2 induced crashes), but it has not exited since it was first loaded",
  );
  assert(!stuck.includes("started again"), stuck);
  assertStringIncludes(stuck, "(logd, configd) had answered in time: not all of the system hung.");
});

Deno.test("a panic of the watchdog while the system shut down", () => {
  const { text } = explained(
    "panic(cpu 2 caller 0xffffff7f9c3a1aae): watchdog timeout: no checkins from watchdogd in 301 seconds (8 totalcheckins since monitoring last enabled), shutdown in progress\n" +
      "Backtrace (CPU 2), Frame : Return Address\n0xffffff812eafbc40 : 0xffffff801b91c63d \n",
  );
  assertStringIncludes(text, "watchdogd did not check in for 301 seconds, after 8 times");
  assertStringIncludes(text, "A shutdown was in progress: it was that which did not come to its");
});

Deno.test("what XNU writes over freed memory in a register; an address that is none leaves no other cause", () => {
  const trap = (register: string) => {
    const { happened, causes } = explainReport(
      readReport(
        "panic(cpu 1 caller 0xffffff8006fd155a): Kernel trap at 0xffffff7f87a81f3b, type 13=general protection, registers:\n" +
          `RAX: 0x0000000000000000, RBX: ${register}, RCX: 0x0000000001000000, RDX: 0xffffff7f879d4d50\n`,
        "x",
      ),
    );
    return { text: happened.join("\n"), causes: causes.join("\n") };
  };
  const freed = trap("0xdeadbeefdeadbeef");
  assertStringIncludes(freed.text, "is what XNU writes over a block of memory that is freed");
  assert(!freed.causes.includes("rdmsr"), freed.causes);
  assertStringIncludes(trap("0xffffff8024c294b0").causes, "rdmsr");
});

Deno.test("the end of a panic's text, without its message and backtrace", () => {
  const { text } = explained(
    "BSD process name corresponding to current thread: Baker\n\nMac OS version:\n16C67\n\nKernel version:\n" +
      "Darwin Kernel Version 16.3.0: Thu Nov 17 20:23:58 PST 2016; root:xnu-1~1/RELEASE_X86_64\n\n" +
      "System uptime in nanoseconds: 51166371527\nlast loaded kext at 4614784064: org.bake.oven\t6.0.1 (addr 0xffffff7f97ffd000, size 126976)\n",
  );
  assertStringIncludes(text, "The kernel panicked; the message was cut off.");
  assertStringIncludes(text, "The running process was Baker;");
});

Deno.test("a shutdown that hung while it unmounted the volumes; a message that a mail has wrapped; services of iPhones", () => {
  const hung = explained(
    "panic(cpu 1 caller 0xfffffe003f34d208): watchdog timeout: no checkins from watchdogd in 182 seconds (4639 totalcheckins since monitoring last enabled), shutdown in progress, vfs shutdown in progress, last vfs completion time: 125 seconds ago\nDebugger message: panic\n",
  );
  assertStringIncludes(
    hung.text,
    "It was unmounting the volumes; for 125 seconds no read or write of theirs had ended",
  );
  const wrapped = explained(
    "panic(cpu 10 caller 0xfffffe005361d9d0): zalloc[3]: zone map exhausted while\nallocating from zone [data.kalloc.512], likely due to memory leak in zone\n" +
      "[data.kalloc.512] (9G, 20787632 elements allocated) @zalloc.c:4534\nDebugger message: panic\n",
  );
  assertStringIncludes(wrapped.text, "The largest zone is data.kalloc.512, with 9G in 20787632");
  const short = explained(
    "panic(cpu 1 caller 0xffffff8017a6ab04): no bread.\nBurnt @oven.c:1\n",
  );
  assertStringIncludes(short.text, "The kernel panicked: no bread.\n");
  const phone = explained(
    "panic(cpu 0 caller 0xfffffff047e1cd54): userspace watchdog timeout: no successful checkins from SpringBoard in 180 seconds\n" +
      "service: backboardd, total successful checkins in 1297 seconds: 126, last successful checkin: 0 seconds ago\n",
  );
  assert(!/extensions|displays/.test(phone.check), phone.check);
});

Deno.test("APFS's own word of a damaged container", () => {
  const { text } = explained(
    "panic(cpu 4 caller 0xfffffe001f725964): nx_corruption_detected_int:60: Container corruption detected by oven_verify:12! cksum mismatch\nDebugger message: panic\n",
  );
  assertStringIncludes(text, "APFS met something that it could not go on with");
});

Deno.test("Intel's power management on a machine that it is not for", () => {
  const { text, check } = explained(
    "panic(cpu 18 caller 0xffffff7f94437b83): CPU 31 has no HPET assigned to it\nBacktrace (CPU 18), Frame : Return Address\n" +
      "0xffffff8736b03cb0 : 0xffffff8010baeb0d \n",
  );
  assertStringIncludes(text, "found no timer (HPET) for a CPU");
  assertStringIncludes(check, "DummyPowerManagement");
});

Deno.test("a panic as a viewer shows it, and with names that people wrote behind the addresses", () => {
  const viewed = readReport(
    "[24Sep2025 11:27:20] - Panic - VirtualMac2,1 macOS 15.0 (24A335)\n\nPanic\npanic(cpu 1 caller 0xfffffe0014c19648)\n" +
      "   kfree: addr 0xfafffe299bce1380 trying to free with nonsensical size 7 @kalloc.c:2682\n\nDebugger Message:      panic\n" +
      "OS Version:            24A335\n\nPanicked Thread: 0xfffffe24cd9c1a58\n" +
      "    lr: 0xfffffe0012d8c568 - fp: 0xfffffe7b43e1f100\n    lr: 0xfffffe0012d4b504 - fp: 0xfffffe7b43e1f1a0\n",
    "x",
  );
  assertStringIncludes(
    viewed.panic?.message ?? "",
    "kfree: addr 0xfafffe299bce1380 trying to free",
  );
  assertEquals(viewed.threads[0].frames.length, 2);
  const named = readReport(
    "panic(cpu 1 caller 0xfffffff02db1ec98): KASan: invalid 336-byte store to 0xfffffff29eced978 [HEAP_FREED]    //_kasan_report+0x34\n" +
      "Panicked thread: 0xfffffff29e, backtrace: 0xfffffff01984c530, tid: 7\n" +
      "\t\t  lr: 0xfffffff02c5df8a4  fp: 0xfffffff01984c530    //_kasan_violation+0x460\n" +
      "\t\t  lr: 0xfffffff02c9ee25c  fp: 0xfffffff01984c550    //_ipc_draw+0x20\n",
    "x",
  );
  assertEquals(named.panic?.message.includes("//"), false);
  assertEquals(named.threads[0].frames.map(({ symbol, offset }) => [symbol, offset]), [
    ["kasan_violation", 0x460],
    ["ipc_draw", 0x20],
  ]);
  assertStringIncludes(
    explainReport(named).happened.join("\n"),
    "memory was used that was freed",
  );
});

Deno.test("what meets a fault is passed over for where it was; processors that did not answer", () => {
  const path = explained(
    "panic(cpu 1 caller 0xfffffff02db1ec98): Kernel data abort. at pc 0xfffffff0172b6708, lr 0xfffffff0172b6704 (saved state: 0xfffffff96b)\n" +
      "Panicked thread: 0xfffffff29e, backtrace: 0xfffffff01984c530, tid: 7\n" +
      [
        "handle_debugger_trap",
        "panic_trap_to_debugger",
        "sleh_synchronous",
        "fleh_synchronous",
        "shop_get",
        "shop_call",
      ].map((name, at) =>
        `\t\t  lr: 0xfffffff02c5df8${at}4  fp: 0xfffffff01984c5${at}0    //_${name}+0x20\n`
      ).join(""),
  ).text;
  assertStringIncludes(path, "It was in shop_get, called by shop_call.");
  assertStringIncludes(
    explained(
      'panic(cpu 3 caller 0xffffff8012801df5): "mp_rv_action() entry: 9 of 12 responses, start: 0x2, cur: 0x3"\n',
    )
      .text,
    "A CPU did not answer an interrupt of another in time",
  );
});

Deno.test("a kernel's backtrace without its message is a panic's, of the extension in it", () => {
  const report = readReport(
    `Since the update my machine does this

   1 mach_kernel                    0xffffff800350475c panic + 0xec
   2 mach_kernel                    0xffffff800360e1dc kernel_trap + 0x96c
   3 mach_kernel                    0xffffff80034b55a3 trap_from_kernel + 0x26
   4 org.example.ShopSound          0xffffff7f85065049
   5 mach_kernel                    0xffffff8003a46840 OSKext::load(unsigned char, OSArray*) + 0x6e0
`,
    "x",
  );
  const { headline, happened } = explainReport(report);
  assertEquals(headline, "kernel panic");
  assertStringIncludes(happened.join("\n"), "The CPU met a trap within the kernel");
  assertStringIncludes(
    happened.join("\n"),
    "Kernel extensions in the backtrace: org.example.ShopSound.",
  );
  assertEquals(attributeReport(report).deciding?.frame.imageName, "org.example.ShopSound");
});

Deno.test("a viewer's frames of the thread that panicked have the names of its backtrace", () => {
  const { text } = explained(`panic(cpu 1 caller 0xfffffe0014c19648)
   kfree: addr 0xfafffe299bce1380 trying to free with nonsensical size -79 @kalloc.c:2682

Panicked Task:   0xfcfffe1b32d4e810, 544 pages, 3 threads, pid 797: shop
Panicked Thread: 0xfafffe24ceb5ac20, backtrace: 0xfffffe7b43e1f060, tid: 5245
    lr: 0xfffffe0014c19648 - fp: 0xfffffe7b43e1f8c0
    lr: 0xfffffe00126415a8 - fp: 0xfffffe7b43e1f940

Process: shop [797] (Panicked)
  Thread: 5245       (Panicked)
    User Frames:
      00: libsystem_kernel.dylib 0x18041a3b4 _unmount + 8
    Kernel Frames:
      00: kernelcache 0xfffffe000a4d7b18 (slide 0xa740000) _panic + 0x28
      01: kernelcache 0xfffffe000a4e1648 (slide 0xa740000) _kfree_size_invalid_panic + 0x30
      02: kernelcache 0xfffffe000c200a30 (slide 0xa740000) _shopfs_unmount + 0x530
  Thread: 5246
    Kernel Frames:
      00: kernelcache 0xfffffe0007eced70 (slide 0xa740000) _thread_block + 0xb4
`);
  assertStringIncludes(
    text,
    "The panic was raised in kfree_size_invalid_panic, called by shopfs_unmount.",
  );
  assertStringIncludes(text, "The running process was shop [797]");
});

Deno.test("a function that is far before the place is not said to be its own; the message's own goes first", () => {
  const panic = (message: string, offset: string) =>
    explained(`panic(cpu 2 caller 0xffffff80199876a2): ${message}
Backtrace (CPU 2), panicked thread: 0xffffff96b96c0000, Frame : Return Address
0xffffffe55ef73ca0 : 0xffffff8017915103 mach_kernel : _panic + 0x84
0xffffffe55ef73d90 : 0xffffff80199876a2 mach_kernel : _shop_lock + ${offset}
0xffffffe55ef73da0 : 0xffffff801996a7cb mach_kernel : _shop_init + 0x14
`).text;
  assertStringIncludes(panic('"shop is full"', "0x33"), "raised in shop_lock, called by shop_init");
  assertStringIncludes(
    panic('"shop is full"', "0x337"),
    "raised in shop_lock + 0x337, or a function behind it that has no name, called by shop_init",
  );
  assertEquals(panic('"shop_action() entry: 9 of 12"', "0x33").includes("was raised in"), false);
});

Deno.test("the system of a panic is its own, not that which wrote the file", () => {
  const file = (build: string) =>
    `{"bug_type":"210","os_version":"Mac OS X 10.15.7 (19H2026)"}
${
      JSON.stringify({
        macOSPanicString:
          `panic(cpu 2 caller 0xffffff80199876a2): "shop is full"\nMac OS version:\n${build}\n\nKernel version:\nDarwin Kernel Version ${
            build.slice(0, 2)
          }.6.0: Thu Jun  8 23:57:12 PDT 2023; root:xnu-8020.240.18~1/RELEASE_X86_64\n`,
      })
    }`;
  const other = readReport(file("21G651"), "x.ips");
  assertEquals(other.osVersion, "macOS 12 (21G651)");
  assertStringIncludes(other.warnings.join("\n"), "Mac OS X 10.15.7 (19H2026)");
  const same = readReport(file("19H2026"), "x.ips");
  assertEquals(same.osVersion, "Mac OS X 10.15.7 (19H2026)");
  assertEquals(same.warnings.some((text) => text.includes("the header's system")), false);
});

Deno.test("a panic is told, not what launchd wrote in the log beside it", () => {
  const { text } = explained(
    `panic(cpu 2 caller 0xfffffff01a2b3c4d): "userspace watchdog timeout: no successful checkins from shopd in 120 seconds"
Debugger message: panic
OS version: 18A373
Panicked task 0xffffffe19c2b8000: 3 pages, 1 threads: pid 1: launchd

Nov 20 10:00:00 shop launchd[1] (com.example.shopd[77]): Service exited due to SIGSEGV
`,
  );
  assertStringIncludes(text, "shopd did not check in for 120 seconds");
});

Deno.test("members before a panic's text, of which a copy lost the braces", () => {
  const panic = (build: string) =>
    readReport(
      `  "build" : "${build}",
  "product" : "iPhone10,3",
  "date" : "2021-03-29 02:37:43.07 +0300",
  "panicString" : "panic(cpu 1 caller 0xfffffff027e53660): Kernel data abort. at pc 0xfffffff0282e8830\\nDebugger message: panic\\nOS version: 18D61\\n`,
      "x",
    );
  const { model, osVersion, date } = panic("iPhone OS 14.4.1 (18D61)");
  assertEquals([model, osVersion], ["iPhone10,3", "iPhone OS 14.4.1 (18D61)"]);
  assertStringIncludes(date ?? "", "2021-03-29");
  assertEquals(panic("macOS 11.2 (20D64)").osVersion, "18D61");
});
