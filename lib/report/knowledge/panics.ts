/** Kernel panics, by words of their message. The first row that matches counts, so specific words come before general
 * ones. */

import type { KnowledgeRow } from "./row.ts";

function panic(
  key: string,
  meaning: string,
  causes: string[],
  next: string,
  source: string,
  backtrace?: KnowledgeRow["backtrace"],
): KnowledgeRow {
  const row: KnowledgeRow = { kind: "panic", key, meaning, causes, next, source };
  return backtrace === undefined ? row : { ...row, backtrace };
}

const extensions = "See the extensions in the backtrace, those that are not Apple's first.";
const updates = "Install updates of the system, which bring firmware.";
const ofExtension = ["a bug in the kernel or an extension"];

/** Traps of the CPU in the kernel: the words of each, and what the kernel did. */
function traps(
  source: string,
  causes: string[],
  kinds: readonly (readonly [string, string])[],
): KnowledgeRow[] {
  return kinds.map(([key, what]) =>
    panic(key, `The kernel ${what}.`, causes, "See the extensions in the backtrace.", source)
  );
}

const ones = "PCI Local Bus Specification: reads that no device answers return all ones";

/** Coprocessors with a firmware of their own, by the names that their drivers' messages begin with; what they do, usual
 * causes, what to do. */
const coprocessors: readonly (readonly [
  names: readonly string[],
  what: string,
  causes: readonly string[],
  next: string,
])[] = [
  [
    ["DCPEXT", "DCPEXT0", "DCPEXT1", "DCPEXT2", "DCPEXT3"],
    "the coprocessor for an external display",
    ["a firmware bug", "a display, its cable or dock"],
    `${updates} Try without the external display.`,
  ],
  [
    ["DCP"],
    "the display coprocessor",
    ["a firmware bug", "a display or its cable"],
    `${updates} Try without an external display, if there is one.`,
  ],
  [
    ["AOP"],
    "the always-on coprocessor (sensors, microphones)",
    ["a failing sensor, or its cable", "a firmware bug"],
    `${updates} What the message says behind the name may be a sensor: have it and its cable checked if it comes again.`,
  ],
  [
    ["SMC"],
    "the system management controller (sensors, power, battery)",
    ["a failing sensor, battery or cable", "a firmware bug"],
    `${updates} Have sensors, battery and power checked if it comes again.`,
  ],
  [
    ["ANS", "ANS2", "ANS3"],
    "the controller of the built-in storage",
    ["failing storage", "a firmware bug"],
    "Back up; run Disk Utility's First Aid; have the storage checked if it comes again.",
  ],
  [
    ["PMP"],
    "the coprocessor that manages the power of the chip",
    ["a firmware bug", "failing hardware"],
    `${updates} Have the hardware checked if it comes again.`,
  ],
  [
    ["ISP"],
    "the processor of the cameras' images",
    ["a failing camera, or its cable", "a firmware bug"],
    `${updates} See whether it happens when a camera is used.`,
  ],
  [
    ["MTP"],
    "the coprocessor of trackpad and keyboard",
    ["a firmware bug", "a failing trackpad, keyboard or cable"],
    `${updates} Have them checked if it comes again.`,
  ],
  [
    ["ANE", "ANE0"],
    "the Neural Engine",
    ["a firmware bug", "work that it could not do"],
    `${updates} See what used machine learning at the time.`,
  ],
  [
    ["GFX", "AGX"],
    "the graphics processor",
    ["a firmware bug", "work of a program that it could not do", "failing hardware"],
    `${updates} See what drew or computed on it at the time.`,
  ],
];

/** How a message goes on behind the name of a coprocessor whose firmware crashed. */
const ends = ["PANIC", "DATA ABORT", "PREFETCH ABORT", "SERROR", "NMI", "UNDEF", "ASSERT"];

/** See {@linkcode KnowledgeRow}. */
export const panicRows = (): readonly KnowledgeRow[] => [
  // It names the service, whose name may be that of another row.
  panic(
    "registry root held busy",
    "The drivers did not come to rest in time: no single one was busy, but the registry of devices as a whole, as until the daemon has checked in that loads extensions; the message says whether it had.",
    [],
    "",
    "XNU, iokit/Kernel/IOService.cpp: waitQuietWithOptions",
    "report",
  ),
  panic(
    "busy timeout",
    "The drivers did not come to rest in time: one of them did not finish its start, or its end.",
    ["a failing device or disk", "a driver bug"],
    "The message names what was busy, which is not always what made it wait; disconnect devices, remove extensions.",
    "XNU, iokit/Kernel/IOService.cpp: waitQuietWithOptions",
    "report",
  ),
  panic(
    "IOKit Daemon (",
    "The drivers did not come to rest in time, while requests to the daemon that loads extensions, or for their modules, were open.",
    [],
    "The message names what was busy, which is not always what made it wait.",
    "XNU, iokit/Kernel/IOService.cpp: waitQuietWithOptions",
    "report",
  ),
  panic(
    "CFG 0xffffffff 0xffffffff 0xffffffff",
    "NVIDIA's graphics driver read nothing but ones from the graphics chip, from its configuration too: the chip no longer answered.",
    ["failing graphics hardware", "a chip that lost its power, or did not wake up", "a driver bug"],
    "Run Apple Diagnostics; see whether it happens with that chip only, where there are two.",
    `NVIDIA, NVDAResman; ${ones}`,
    "report",
  ),
  panic(
    "VendorID invalid",
    "The driver that switches between the graphics chips read an identity from one that none has: the chip did not answer.",
    ["failing graphics hardware", "a chip that did not wake up, or did not get its power"],
    "Run Apple Diagnostics; see whether it happens with that chip only.",
    `Apple, AppleGraphicsControl: AppleMuxControl; ${ones}`,
    "report",
  ),
  panic(
    "SafeForceWake acknowledgement never received",
    "Intel's graphics driver asked the graphics chip to wake up, and the chip did not answer: it hung.",
    ["a driver or firmware bug", "failing hardware"],
    updates,
    "Apple, GPUDriversIntel: IntelAccelerator.cpp",
    "report",
  ),
  panic(
    "Failed to wake the ME",
    "Intel's graphics driver could not wake what it calls the ME, by which it reaches the firmware of the graphics chip (GuC).",
    ["a driver or firmware bug", "failing hardware"],
    updates,
    "Apple, GPUDriversIntel: IGGuC.cpp",
    "report",
  ),
  panic(
    "completeMemory() prepare count underflow",
    "The driver of the graphics processor gave memory back more often than it had prepared it: a check of the driver's own bookkeeping failed.",
    ["a bug in the graphics driver, which a program's use of graphics or machine learning reached"],
    "Install updates of the system; see what used the graphics processor at the time.",
    "Apple, IOGPUFamily: IOGPUMemory.cpp",
  ),
  panic(
    "IOGPUGroupMemory",
    "A check in the driver of the graphics processor failed: its lists of memory did not fit together.",
    ["a bug in the graphics driver, which a program's use of graphics or machine learning reached"],
    "Install updates of the system; see what used the graphics processor at the time.",
    "Apple, IOGPUFamily: IOGPUGroupMemory.cpp",
  ),
  panic(
    "Failed to stop GFX FW",
    "The graphics processor hung, and its firmware could not be stopped to start it again.",
    ["a driver or firmware bug", "failing hardware"],
    `${updates} See what used the graphics processor at the time.`,
    "Apple, AGX graphics drivers",
    "report",
  ),
  ...coprocessors.flatMap(([names, what, causes, next]) =>
    names.flatMap((name) =>
      ends.flatMap((end) => [`${name} ${end}`, `${name}-${end}`]).map((key) =>
        panic(
          key,
          `The firmware of ${what} crashed or no longer answered; the kernel only reports it.`,
          [...causes],
          next,
          "Apple, RTBuddy and the drivers of coprocessors",
          "report",
        )
      )
    )
  ),
  panic(
    "ANS2 ",
    "The firmware of the controller of the built-in storage failed, or did not answer; the kernel only reports it.",
    ["failing storage", "a firmware bug"],
    "Back up; run Disk Utility's First Aid; have the storage checked if it comes again.",
    "Apple, AppleANS",
    "report",
  ),
  panic(
    "RTBuddy(ACIO",
    "The firmware of the controller of a USB4 and Thunderbolt port did not answer, or crashed; the kernel only reports it.",
    ["a device or cable at that port", "a firmware bug", "failing hardware"],
    `${updates} Try without the devices at the machine's ports.`,
    "Apple, RTBuddy and AppleThunderboltNHI; Asahi Linux, documentation of ACIO",
    "report",
  ),
  panic(
    "RTBuddy",
    "The firmware of a coprocessor did not answer, or crashed; the kernel only reports it.",
    ["a firmware bug", "failing hardware"],
    `The message names the coprocessor. ${updates}`,
    "Apple, RTBuddy",
    "report",
  ),
  panic(
    "dart-",
    'A device used an address that its unit for the translation of addresses (DART) has no memory for, or that it may not use so; the message has the unit\'s name behind "dart-".',
    ["a bug in the device's driver or firmware", "failing hardware"],
    `${updates} For a display or a port, try without what is connected there.`,
    "Apple, AppleT8xxxDART: the messages of AppleDART's exceptions",
    "report",
  ),
  panic(
    "apcie",
    "A PCI Express port reported an error, or its device did not answer.",
    ["the device at the port that failed, or its firmware, power or driver"],
    "The message names the port; disconnect devices, run Apple Diagnostics, update the system.",
    "Apple, AppleT8xxxPCIe",
    "report",
  ),
  panic(
    "AppleBCMWLAN",
    "A check in the driver of the Wi-Fi chip failed.",
    ["a failing Wi-Fi chip", "a driver or firmware bug"],
    `${updates} See whether it comes with Wi-Fi off.`,
    "Apple, AppleBCMWLAN",
    "report",
  ),
  panic(
    "Radio on gated",
    "The modem for mobile networks could not be started.",
    ["a failing modem", "a firmware bug"],
    `${updates} Have the modem checked if it comes again.`,
    "Apple, AppleBaseband",
    "report",
  ),
  panic(
    "[SPTM]",
    "The monitor that guards the tables of pages (SPTM) refused what the kernel asked of it, as not allowed.",
    [...ofExtension, "memory of the kernel that was overwritten"],
    extensions,
    "XNU, osfmk/arm64/sptm",
  ),
  panic(
    "IPI timeout",
    "A CPU did not answer an interrupt of another in time. The panic is that of the CPU that waited for it.",
    ["a driver that keeps interrupts off on the CPU that did not answer", "failing hardware"],
    'See what the CPU that did not answer was doing: its own backtrace may stand before, behind "NMIPI" or "Unresponsive processor".',
    "XNU, osfmk/x86_64/pmap.c: pmap_flush_tlbs",
    "waiter",
  ),
  ...["Uninterruptible processor", "mp_cpus_call_wait()"].map((
    key,
  ) =>
    panic(
      key,
      "A CPU did not answer an interrupt of another in time. The panic is that of the CPU that waited for it.",
      ["a driver that keeps interrupts off on the CPU that did not answer", "failing hardware"],
      'See what the CPU that did not answer was doing: its own backtrace may stand before, behind "NMIPI" or "Unresponsive processor".',
      "XNU, osfmk/i386/mp.c: mp_cpus_call_wait; osfmk/x86_64/pmap.c",
      "waiter",
    )
  ),
  ...["unresponsive processor", "Unresponsive processor"].map((key) =>
    panic(
      key,
      "A CPU did not answer an interrupt of another in time; the backtrace is that of the CPU that did not answer.",
      ["a driver that keeps interrupts off", "failing hardware"],
      "",
      "XNU, osfmk/i386/mp.c: NMIInterruptHandler",
    )
  ),
  panic(
    "spinlock acquisition timeout",
    "Another CPU waited too long for a spinlock; the backtrace is that of the CPU on which its owner ran.",
    ["a driver that holds a lock for too long", "a CPU that hangs"],
    "",
    "XNU, osfmk/i386/mp.c: NMIInterruptHandler",
  ),
  ...([
    ["icket spinlock timeout", "lock_ticket.c", "waiter"],
    ["icket spinlock[", "lock_ticket.c", "waiter"],
    // The backtrace may be the owner's.
    ["Spinlock[", "locks.c", undefined],
    ["Spinlock acquisition timed out", "locks.c", undefined],
  ] as const).map(([key, file, backtrace]) =>
    panic(
      key,
      "A CPU waited too long for a spinlock: its owner did not release it.",
      [
        "a driver that holds a lock for too long",
        "a CPU that hangs",
        "a lock that was freed or overwritten",
      ],
      "",
      `XNU, osfmk/kern/${file}`,
      backtrace,
    )
  ),
  panic(
    ") timed out after ",
    "A driver did not complete a change of its device's power in time.",
    ["a bug in the driver", "a device that did not answer"],
    "Install updates of the system; disconnect devices, remove extensions. Whether the driver or its device hung is not said.",
    "XNU, iokit/Kernel/IOServicePM.cpp: ackTimerTick",
    "report",
  ),
  panic(
    "pci restore invalid deviceid",
    "After it had been without power, as in sleep, a PCI device had another identity than before; the message names the device.",
    ["a device, its slot or its adapter that failed to come back", "a firmware or driver bug"],
    "Disconnect or replace that device; see whether it comes with sleep only.",
    "IOPCIFamily, IOPCIBridge.cpp",
    "report",
  ),
  panic(
    "thunderbolt power on failed",
    "A Thunderbolt controller did not come back when it was to be powered on.",
    ["failing hardware", "a firmware or driver bug"],
    `${updates} Try without devices at the Thunderbolt ports.`,
    "IOPCIFamily, IOPCIBridge.cpp",
    "report",
  ),
  panic(
    "waitQuietController failed",
    "The drivers of a graphics chip did not come to rest in time after they were started.",
    ["a bug in a graphics driver", "failing graphics hardware"],
    updates,
    "IOGraphics, IOGraphicsFamily/IOFramebuffer.cpp",
    "waiter",
  ),
  panic(
    "IOUSBCommandPool",
    "A check of the USB drivers failed: a command was given back while it was still in use, or twice.",
    ["a bug in a driver of a USB device or controller"],
    extensions,
    "IOUSBFamily, Classes/IOUSBCommand.cpp",
  ),
  panic(
    "not wired for the IODMACommand",
    "A check of IOKit failed: an extension used memory for a transfer, or read its physical addresses, without preparing it (prepare()) before, or after that was taken back (complete()).",
    ["a bug in the extension that used the memory"],
    extensions,
    "XNU, iokit/Kernel/IOMemoryDescriptor.cpp: IOGeneralMemoryDescriptor::dmaCommandOperation",
  ),
  ...["complete() while dma active", "_dmaReferences underflow"].map((key) =>
    panic(
      key,
      "A check of IOKit failed: memory was given back (complete()) while a transfer still used it.",
      ["a bug in the extension whose device the transfer was for"],
      extensions,
      "XNU, iokit/Kernel/IOMemoryDescriptor.cpp: IOGeneralMemoryDescriptor::complete",
    )
  ),
  ...["has no HPET assigned to it", "No HPETs available"].map((key) =>
    panic(
      key,
      "The driver for the power management of Intel's CPUs found no timer (HPET) for a CPU: the machine is not as those are that it is made for.",
      ["a machine that is no Mac, as one with another CPU or other settings of its firmware"],
      "On a hackintosh keep that driver from running where the CPU is not Intel's (in OpenCore: DummyPowerManagement).",
      "Dortania, OpenCore Install Guide: AMD, DummyPowerManagement",
      "report",
    )
  ),
  ...["initproc failed to start", "initproc exited", "launchd exited"].map((key) =>
    panic(
      key,
      key === "initproc failed to start"
        ? "launchd, the first process, could not be started."
        : "launchd, the first process, ended, without which the system cannot run.",
      [],
      "See the reason that the message has.",
      "XNU, bsd/kern/kern_exit.c: proc_handle_critical_exit",
      "report",
    )
  ),
  ...["exited -- exit reason", "exited -- no exit reason"].map((key) =>
    panic(
      key,
      "A process that the system does not run without ended; the message names it.",
      [],
      "See the reason that the message has, and that process's own reports of the time.",
      "XNU, bsd/kern/kern_exit.c: proc_handle_critical_exit",
      "report",
    )
  ),
  panic(
    "x86 CPU shutdown detected",
    "The Intel CPU stopped (its shutdown state), as it does after a fault that it cannot handle.",
    ["failing hardware", "firmware", "a kernel whose own handling of faults failed"],
    "Update firmware; run Apple Diagnostics.",
    "Apple, bridgeOS; Intel, Software Developer's Manual: shutdown state",
    "report",
  ),
  panic(
    "no macOS panic log available",
    "The Mac's kernel panicked or hung, and left no panic log that could be read: what happened is not in this report.",
    [],
    "Look for other reports of the same time.",
    "Apple, bridgeOS",
    "report",
  ),
  panic(
    "watchdog reset occurred",
    "The chip's watchdog reset the machine: the system hung so that it could write no panic of its own, or not to its end.",
    ["a hung kernel or driver", "failing hardware", "power"],
    "Look for other reports of the same time; update the system.",
    "Apple, SoC watchdog",
    "report",
  ),
  panic(
    "WDT timeout",
    "The hardware's watchdog was not reset in time: the whole system, or one of its CPUs, hung.",
    ["a hung kernel or driver", "failing hardware"],
    "Update the system.",
    "Apple, platform watchdog",
    "moment",
  ),
  panic(
    "Zone cache element was used after free",
    "Kernel memory was written after it was freed.",
    ofExtension,
    "Update or remove extensions that are not Apple's.",
    "XNU 6153, osfmk/kern/zcache.c",
    "finder",
  ),
  ...["Ptrauth failure", "PAC failure"].map((key) =>
    panic(
      key,
      "Pointer authentication failed in the kernel: a pointer was not what the kernel had signed.",
      ["memory damage in the kernel or an extension"],
      "Update or remove extensions that are not Apple's.",
      "XNU, osfmk/arm64/sleh.c: ptrauth_handle_brk_trap",
    )
  ),
  panic(
    "instruction exception from kernel",
    "A check that the compiler built into the kernel or an extension failed, and trapped on purpose.",
    ofExtension,
    "See the extensions in the backtrace.",
    "XNU, osfmk/arm64/sleh.c: handle_kernel_breakpoint",
  ),
  ...(["PC", "SP"] as const).map((what) =>
    panic(
      `${what} alignment exception from kernel`,
      what === "PC"
        ? "The kernel jumped to an address that is not aligned, which no code is at."
        : "The kernel's stack pointer was not aligned.",
      ["a damaged pointer", ...ofExtension],
      "See the extensions in the backtrace.",
      "XNU, osfmk/arm64/sleh.c",
    )
  ),
  panic(
    "probable corruption",
    "The kernel's stack pointer was no stack's.",
    ["a damaged pointer", ...ofExtension],
    "See the extensions in the backtrace.",
    "XNU, osfmk/arm64/sleh.c: handle_kernel_stack",
  ),
  panic(
    "Kernel parity error",
    "The memory system reported a parity error for what the kernel accessed.",
    ["failing hardware"],
    "Have the hardware checked.",
    "XNU, osfmk/arm64/sleh.c",
    "moment",
  ),
  ...traps(
    "XNU, osfmk/i386/trap.c: trap_type",
    ["a damaged pointer or register", ...ofExtension],
    [
      ["type 1=debug", "met a debug exception, of a breakpoint or a single step"],
      ["type 10=invalid TSS", "loaded a task state segment that is not valid"],
      ["type 11=segment not present", "loaded a segment that is not present"],
      [
        "type 12=stack fault",
        "used a stack address that is not canonical, or a stack segment that is not present",
      ],
      ["type 17=alignment check", "used a misaligned address where that is checked"],
    ],
  ),
  ...["type 18=machine check", "0x200 - Machine check"].map((key) =>
    panic(
      key,
      "The CPU reported a hardware error: a machine check.",
      ["failing hardware, such as memory, a bus or a card"],
      "Run Apple Diagnostics or Apple Hardware Test.",
      "XNU, osfmk/i386/trap.c; XNU 1228, osfmk/ppc/trap.c: trap_type",
      "moment",
    )
  ),
  ...traps("XNU 1228, osfmk/ppc/trap.c: trap_type", ofExtension, [
    ["0x600 - Alignment", "used a misaligned address"],
    ["0x700 - Program", "met an instruction that is not valid, or a trap of a check that failed"],
  ]),
  panic(
    "GPU Panic",
    "The graphics driver or the GPU failed.",
    ["failing graphics hardware", "a driver bug"],
    "Run Apple Diagnostics; see whether it happens with one GPU only.",
    "Apple, AppleGraphicsControl",
    "report",
  ),
  panic(
    "x86 CPU CATERR",
    "The Intel CPU reported a fatal hardware error to the bridge chip.",
    ["failing hardware", "firmware"],
    "Update firmware; run Apple Diagnostics.",
    "Apple, bridgeOS",
    "report",
  ),
  panic(
    "x86 global reset detected",
    "The Intel side of the machine was reset.",
    ["power loss", "firmware"],
    "Update firmware; run Apple Diagnostics.",
    "Apple, bridgeOS",
    "report",
  ),
  panic(
    "macOS watchdog",
    "macOS did not check in with its watchdog in time.",
    ["a hung system, driver or disk"],
    "",
    "Apple, watchdogd",
    "report",
  ),
  panic(
    "remoted connection watchdog expired",
    "remoted, by which macOS and the system of the T2 chip talk, did not say in time that their connection works: one of the two sides hung, or the connection between them.",
    ["firmware of the T2 chip that hung", "a system that hung", "failing hardware"],
    `${updates} Look for a report of the chip's own system (bridgeOS) of the same time.`,
    "Apple, remoted(8) and watchdogd",
    "report",
  ),
  panic(
    "remoted is unhealthy",
    "remoted, by which macOS and the system of the T2 chip talk, answered that it is not well: the chip, as its device, is not connected.",
    ["the system of the T2 chip (bridgeOS) that hung or did not come back", "failing hardware"],
    `${updates} Look for a report of the chip's own system (bridgeOS) of the same time.`,
    "Apple, remoted(8) and watchdogd",
  ),
  panic(
    "a service is unhealthy",
    "A system service answered watchdogd that it is not well.",
    [],
    "See the reason that the service gave, and its own reports and log of that time.",
    "Apple, watchdogd",
  ),
  panic(
    "userspace watchdog timeout",
    "watchdogd was not told in time that system services are alive.",
    ["a hung system service"],
    "Look for reports of that service from the minutes before; disconnect devices and displays, and remove extensions that are not Apple's.",
    "Apple, watchdogd",
  ),
  panic(
    "no checkins from watchdogd",
    "watchdogd itself did not report in time: the system as a whole hung, or had no time left for it.",
    ["a hung kernel or driver", "a disk that does not answer", "memory that was short"],
    "See what else the system logged before, and what was connected; remove extensions.",
    "Apple, watchdogd and IOWatchdog",
  ),
  panic(
    "watchdog timeout",
    "A watchdog was not reset in time: a process or the kernel hung.",
    ["a hung driver or system service"],
    "Look for reports of whom the message names from the minutes before; disconnect devices, remove extensions that are not Apple's.",
    "XNU, iokit/Kernel/IOPlatformExpert.cpp",
  ),
  panic(
    "unlocking an unlocked mutex",
    "Code of the kernel or of an extension released a lock more often than it took one. That is noticed when the thread blocks the next time: what released it need not be in the backtrace.",
    ["a bug in the kernel or an extension"],
    "See the extensions in the backtrace, those that are not Apple's first.",
    "XNU, osfmk/kern/sched_prim.c: thread_invoke",
  ),
  panic(
    "blocking while holding a spinlock",
    "Code of the kernel or of an extension blocked where it must not: while it held a spinlock, or in an interrupt.",
    ["a bug in the kernel or an extension"],
    "See the extensions in the backtrace, those that are not Apple's first.",
    "XNU, osfmk/kern/sched_prim.c: thread_invoke",
  ),
  panic(
    "tag check fault",
    "Memory tagging (MTE) found a pointer whose tag is not that of the memory that it points to, as where kernel memory is used after it was freed, or beyond its end.",
    ["a block used after it was freed and given to another", "an access past the end of a block"],
    "See the extensions in the backtrace, and what the running process called; update the system.",
    "XNU, osfmk/arm64/sleh.c",
  ),
  panic(
    "calling power state change callbacks",
    "A driver did not complete a power state change in time while the machine went to sleep or woke up.",
    [],
    "The message names the driver, if it is known; disconnect devices, remove extensions.",
    "XNU, iokit/Kernel/IOPMrootDomain.cpp: tracePhase2String",
  ),
  ...([
    ["Sleep transition timed out", "go to sleep"],
    ["Wake transition timed out", "wake up"],
  ] as const).map(([key, what]) =>
    panic(
      key,
      `The machine did not ${what} in time; the message says in which step.`,
      ["a driver or its device", "a program or service that was told of it", "firmware"],
      "The message names whom it suspects, if anybody; disconnect devices, remove extensions.",
      "XNU, iokit/Kernel/IOPMrootDomain.cpp: getFailureData, tracePhase2String",
    )
  ),
  panic(
    "timed out in phase",
    "The system did not shut down or restart in time; the message says in which step.",
    ["a driver or a service that does not end"],
    "Disconnect devices; remove extensions that are not Apple's; see in the message whom it was waiting for, if that is known.",
    "XNU, iokit/Kernel/IOPMrootDomain.cpp: panicWithShutdownLog",
  ),
  panic(
    "Halt/Restart Timed Out",
    "The system did not shut down or restart in time.",
    ["a driver or a service that does not end"],
    "See what was connected and running; update the system.",
    "Apple, iOS",
  ),
  panic(
    "zone_require",
    "A pointer to a kernel object was not in the memory that such objects come from: the kernel's check of it failed.",
    ["an object that was freed, overwritten or forged", "a bug in the kernel or an extension"],
    "See the extensions in the backtrace, and what the running process called; update the system.",
    "XNU, osfmk/kern/zalloc.c: zone_require",
  ),
  panic(
    "sks request timeout",
    "The Secure Enclave did not answer a request in time.",
    ["a firmware bug", "failing hardware"],
    "Update the system; have the hardware checked if it comes again.",
    "Apple, AppleSEPManager",
    "report",
  ),
  ...["_checkBusStatus", "_runInterruptMode", "_doTransaction"].map((key) =>
    panic(
      key,
      "A device on an I2C bus did not answer, or the bus was stuck.",
      ["a failing device on that bus, or its cable"],
      "The message names the bus, and often the device; have the hardware checked.",
      "Apple, AppleS5L8940XI2C",
    )
  ),
  panic(
    "AppleSocHot",
    "The chip was, or seemed, too hot, so that the system was stopped.",
    ["heat", "a failing sensor or power circuit"],
    "Let it cool; have the hardware checked if it comes again.",
    "Apple, AppleSocHot",
    "report",
  ),
  ...["Possible memory corruption", "inconsistent state in soon to be deleted"].map((key) =>
    panic(
      key,
      "The kernel's tables of pages did not fit together.",
      ["memory that the kernel or an extension damaged", "failing memory"],
      "See the extensions in the backtrace; run Apple Diagnostics.",
      "XNU, osfmk/i386/pmap_internal.h: pmap_pv_remove; osfmk/arm/pmap/pmap.c: pmap_tte_remove",
      "finder",
    )
  ),
  panic(
    "no victim",
    "Memory was short, and there was no process left that could be ended.",
    ["a leak in the kernel or an extension", "a process that may not be ended and uses the memory"],
    "See which processes were large, and the zones of the kernel.",
    "XNU, bsd/kern/kern_memorystatus.c: memorystatus_kill_top_process",
    "moment",
  ),
  panic(
    "SError interrupt",
    "A device or memory reported an asynchronous error to the CPU.",
    ["hardware", "a driver or firmware bug"],
    "See whether the message names a device; update the system.",
    "XNU, osfmk/arm64/sleh.c",
    "moment",
  ),
  panic(
    "SERROR",
    "A device or memory reported an asynchronous error.",
    ["hardware", "a firmware bug"],
    "See whether the message names a device; update the system.",
    "XNU, osfmk/arm64/sleh.c",
    "moment",
  ),
  panic(
    "nvme",
    "The driver of the NVMe storage stopped: the device reported a fatal error, or did not answer.",
    [
      "a failing device, or a bug in its firmware",
      "its connection: adapter, slot, enclosure or power",
    ],
    "Back up. VID/DID name the device: for one that is not Apple's, look for newer firmware, and try it without an adapter.",
    "Apple, IONVMeFamily",
    "report",
  ),
  panic(
    "double free",
    "A block of the kernel's memory was freed that was free already.",
    ["a bug in the kernel or an extension"],
    "Install updates of the system; update or remove extensions that are not Apple's.",
    "XNU, osfmk/kern/zalloc.c",
  ),
  panic(
    "[HEAP_FREED]",
    "The kernel's address sanitizer stopped the system: a block of the kernel's memory was used that was freed.",
    ["a bug in the kernel or an extension"],
    "See which function of the backtrace made the access: the sanitizer's own are above it.",
    "XNU, san/memory/kasan-classic.c",
  ),
  ...["out of balance", "usecount -ve"].map((key) =>
    panic(
      key,
      "The uses of a file were counted wrongly.",
      ["a bug in a file system, an extension or the kernel's layer over file systems"],
      "See which volumes were mounted or unmounted.",
      "XNU, bsd/vfs/vfs_subr.c: vnode_rele",
    )
  ),
  panic(
    "kernel abort type",
    "The kernel used an address that is not mapped or not permitted.",
    ["a bug in the kernel or an extension"],
    "",
    "XNU, osfmk/arm/trap.c",
  ),
  ...traps("XNU, osfmk/arm/trap.c: sleh_abort", ofExtension, [
    [
      "prefetch abort in kernel mode",
      "jumped to an address that is not code, or whose code it may not run",
    ],
    ["data abort in kernel mode", "used an address that is not mapped or not permitted"],
  ]),
  panic(
    "probable overflow",
    "The kernel's stack pointer was outside of its stack: most often the stack overflowed.",
    ["deep recursion in the kernel or an extension", "a stack pointer that was damaged"],
    "See which functions or extensions repeat.",
    "XNU, osfmk/arm64/sleh.c",
  ),
  panic(
    "double fault",
    "The kernel met a fault while it handled one, most often because its stack overflowed.",
    ["deep recursion in the kernel or an extension", "a stack pointer that was damaged"],
    "See which functions or extensions repeat.",
    "XNU, osfmk/i386/trap.c",
  ),
  panic(
    "Double fault at",
    "The kernel met a fault while it handled one, most often because its stack overflowed.",
    ["deep recursion in the kernel or an extension", "a stack pointer that was damaged"],
    "See which functions or extensions repeat.",
    "XNU, osfmk/i386/trap_native.c: panic_double_fault64",
  ),
  ...([
    ["0x300 - Data access", "used an address that is not mapped or not permitted"],
    ["0x400 - Inst access", "jumped to an address that is not code"],
  ] as const).map(([key, what]) =>
    panic(
      key,
      `The kernel ${what}.`,
      ["a bug in the kernel or an extension"],
      "See the extensions in the backtrace.",
      "XNU 1228, osfmk/ppc/trap.c: trap_type",
    )
  ),
  panic(
    "stack memory corruption",
    "A function's frame on the kernel's stack was overwritten.",
    ["a write past the end of a local array, in the kernel or an extension"],
    "See the extensions in the backtrace.",
    "XNU, libkern/stack_protector.c",
  ),
  panic(
    "Undefined kernel instruction",
    "The kernel executed an instruction that the CPU does not know.",
    ["a check that failed", "memory damage", "a jump through a damaged pointer"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/arm64/sleh.c",
  ),
  panic(
    "Unaligned kernel data abort",
    "The kernel used a misaligned address.",
    ["a damaged pointer"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/arm64/sleh.c",
  ),
  panic(
    "Sleep/Wake hang detected",
    "The machine did not finish going to sleep or waking up.",
    [],
    "Disconnect devices, remove extensions.",
    "XNU, iokit/Kernel/IOPMrootDomain.cpp",
  ),
  panic(
    "zone map exhausted",
    "The kernel's memory for its own objects is used up.",
    ["a leak in the kernel or an extension"],
    "On a Mac, zprint(1) shows how that zone grows; remove extensions that are not Apple's.",
    "XNU, osfmk/kern/zalloc.c",
    "moment",
  ),
  panic(
    "userspace panic",
    "A process of the system asked for the panic; the message says why.",
    [],
    "If the message names a service, look for its reports from the minutes before.",
    "XNU, bsd/kern/kern_xxx.c",
  ),
  panic(
    "Unrecoverable deadlock",
    "Drivers wait for each other: one would get a lock only after it gave up the one that it has.",
    ["a driver bug"],
    "See the extensions in the backtrace.",
    "XNU, iokit/Kernel/IOService.cpp: lockForArbitration",
  ),
  panic(
    "LLC Bus error",
    "The memory system reported a hardware error.",
    ["a device or driver that used a bad address", "failing hardware"],
    "Disconnect devices; have the hardware checked if it comes again.",
    "Apple, platform error handlers",
    "moment",
  ),
  panic(
    "AMCC",
    "The memory controller reported a hardware error.",
    ["failing hardware", "firmware or a driver that asks of a device what it cannot do"],
    "Install updates of the system, which bring firmware; have the hardware checked if it comes again.",
    "Apple, platform error handlers",
    "moment",
  ),
  panic(
    "SOCD report detected",
    "The system on a chip was reset; its diagnostics recorded it.",
    ["power loss", "failing hardware", "firmware"],
    "Update the system; have the hardware checked if it comes again.",
    "Apple, AppleSOCD",
    "report",
  ),
  panic(
    "SEP Panic",
    "The Secure Enclave's firmware crashed.",
    ["a firmware bug", "failing hardware"],
    "Update the system.",
    "Apple, AppleSEPManager",
    "report",
  ),
  panic(
    "SEP ROM",
    "The Secure Enclave did not start.",
    ["failing hardware", "a damaged firmware"],
    "Restore the system; have the hardware checked.",
    "Apple, AppleSEPManager",
    "report",
  ),
  panic(
    "issing sensor",
    "The thermal monitor got no data of a sensor.",
    ["a failing sensor, battery or cable"],
    "The message names the sensor; have the hardware checked.",
    "Apple, thermalmonitord",
    "report",
  ),
  panic(
    "Uncorrectable",
    "The hardware reported an error that could not be corrected.",
    ["failing hardware"],
    "Run Apple Diagnostics.",
    "XNU, osfmk/i386/machine_check.c",
    "moment",
  ),
  ...["hfs_", "hfs: "].map((key) =>
    panic(
      key,
      "HFS+ met something that it could not go on with, such as an inconsistent volume.",
      ["a damaged volume", "failing storage", "a bug in the file system"],
      "Back up; run Disk Utility's First Aid.",
      "hfs, core: the messages of panic()",
    )
  ),
  ...["apfs", "nx_corruption_detected"].map((key) =>
    panic(
      key,
      "APFS met something that it could not go on with, such as an inconsistent volume.",
      ["a damaged volume", "failing storage", "a bug in the file system"],
      "Back up; run Disk Utility's First Aid.",
      "Apple, apfs; Apple File System Reference: nx_superblock_t",
    )
  ),
  panic(
    "Assertion failed",
    "A check in the kernel or an extension failed.",
    [],
    extensions,
    "XNU, osfmk/kern/debug.c: Assert",
  ),
  panic(
    "assertion failed",
    "A check in the kernel or an extension failed.",
    [],
    extensions,
    "XNU, osfmk/kern/debug.c: Assert",
  ),
  ...["element modified after free", "zone element has been modified", "zone element was modified"]
    .map((
      words,
    ) =>
      panic(
        words,
        "Kernel memory was written after it was freed.",
        ["a bug in the kernel or an extension"],
        "Update or remove extensions that are not Apple's.",
        "XNU, osfmk/kern/zalloc.c",
        "finder",
      )
    ),
  panic(
    "Kernel data abort",
    "The kernel used an address that it could not: one that is not mapped, not permitted or misaligned.",
    ["a bug in the kernel or an extension"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/arm64/sleh.c",
  ),
  panic(
    "Kernel instruction fetch abort",
    "The kernel jumped to an address that is not code.",
    ["a bug in the kernel or an extension"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/arm64/sleh.c",
  ),
  panic(
    "14=page fault",
    "The kernel used an address that is not mapped or not permitted: a page fault.",
    ["a bug in the kernel or an extension"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/i386/trap.c",
  ),
  panic(
    "13=general protection",
    "A general protection fault: the kernel used an address that is not canonical, or an instruction that the CPU does not allow, such as one for a register that it does not have.",
    [
      "a pointer that was overwritten, or read from freed memory",
      "rdmsr or wrmsr for a register of another CPU, as on a hackintosh or in a virtual machine",
    ],
    "See the extensions in the backtrace.",
    "XNU, osfmk/i386/trap.c",
  ),
  panic(
    "6=invalid opcode",
    "The kernel executed an invalid instruction: mostly ud2, the trap of a failed check.",
    [],
    "See the extensions in the backtrace.",
    "XNU, osfmk/i386/trap.c",
  ),
  panic(
    "0=divide error",
    "The kernel divided by zero, or the quotient was too large.",
    ["a bug in the kernel or an extension"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/i386/trap.c",
  ),
  panic(
    "btn_rst",
    "Somebody restarted the machine by its buttons; the kernel itself did not fail.",
    ["a system or display that seemed to hang"],
    "If it hung before, the panic does not say what.",
    "Apple, PMU reset reasons",
  ),
  panic(
    "Unexpected fault in kernel static region",
    "The kernel touched memory of its own code and constants in a way that is not mapped or not allowed.",
    ["a bug in the kernel or an extension", "failing memory"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/arm64/sleh.c: handle_kernel_abort",
  ),
  panic(
    "Double panic",
    "The kernel panicked again while it handled a panic.",
    [],
    "Read the first panic's message.",
    "XNU, osfmk/kern/debug.c",
  ),
  panic(
    "zone_map exhaustion",
    "The kernel's own memory was exhausted.",
    ["a leak of kernel objects, such as ports or files, or in an extension"],
    "On a Mac, zprint(1) shows how that zone grows; remove extensions that are not Apple's.",
    "XNU, osfmk/kern/zalloc.c",
    "moment",
  ),
  panic(
    "kalloc_panic",
    "The kernel was asked for a size of memory that makes no sense.",
    ["a size computed from damaged or foreign data"],
    "See the extensions in the backtrace.",
    "XNU, osfmk/kern/kalloc.c",
  ),
  panic(
    "L2 Cache errors",
    "The CPU's cache reported an error.",
    ["failing hardware"],
    "Run Apple Diagnostics.",
    "Apple, platform error handler",
    "moment",
  ),
  panic(
    "3=int3 breakpoint",
    "The kernel met a breakpoint instruction.",
    [],
    "See the extensions in the backtrace.",
    "XNU, osfmk/i386/trap.c",
  ),
  panic(
    "Machine Check",
    "The CPU reported a hardware error: a machine check.",
    ["failing hardware"],
    "Run Apple Diagnostics.",
    "XNU, osfmk/i386/machine_check.c",
    "moment",
  ),
  panic(
    "Unable to find driver for this platform",
    "The kernel found no driver for this kind of machine (its platform).",
    ["a system that is not for this machine, as on a hackintosh or in an emulator"],
    "",
    "XNU, iokit",
  ),
  panic(
    "forced reset",
    "The device was reset by its buttons.",
    ["a person held the buttons"],
    "See the stackshot for what hung, if it did.",
    "Apple, iOS",
  ),

  ...["kfree: ", "being freed to zone"].map((key) =>
    panic(
      key,
      "Memory was given back (freed) that the kernel's allocator does not know so: the pointer, its size or its kind was wrong.",
      ["a bug in the extension that freed it, or in the kernel", "memory that was overwritten"],
      extensions,
      "XNU, osfmk/kern/kalloc.c: kfree; osfmk/kern/zalloc.c: zone_invalid_element_panic",
    )
  ),
  panic(
    "hasn't been rebuilt with",
    "An extension was built with headers of another version of the kernel, whose memory it cannot use so; the message names it.",
    ["an extension that is too old for this version of the system"],
    "Update or remove that extension.",
    "XNU, osfmk/kern/kalloc.c: kalloc_type_view_sig_check",
  ),
  ...["zone metadata corruption", "metadata list corruption", "accounting mismatch"].map((key) =>
    panic(
      key,
      "The tables of the kernel's allocator were damaged.",
      [...ofExtension, "failing memory"],
      "Update or remove extensions that are not Apple's; run Apple Diagnostics.",
      "XNU, osfmk/kern/zalloc.c",
      "finder",
    )
  ),
  panic(
    "use-after-free",
    "Kernel memory was used after it was freed.",
    ofExtension,
    extensions,
    "XNU, osfmk/kern/zalloc.c",
  ),
  ...["zalloc(", "zalloc: "].map((key) =>
    panic(
      key,
      "A kernel memory zone is exhausted or damaged.",
      ["a leak in a kernel extension", "memory damage"],
      "On a Mac, zprint(1) shows how the zone that the message names grows.",
      "XNU, osfmk/kern/zalloc.c",
    )
  ),
  ...([
    ["AppleSEP", "of the driver of the Secure Enclave", "Apple, AppleSEPManager"],
    ["[IGFB]", "of Intel's graphics driver for displays", "Apple, GPUDriversIntel"],
    ["[IGPU]", "of Intel's graphics driver", "Apple, GPUDriversIntel"],
    ["Sources/GPUDriversIntel", "of Intel's graphics driver", "Apple, GPUDriversIntel"],
    ["AMDRadeon", "of AMD's graphics driver", "Apple, AMDRadeon graphics drivers"],
    ["IOGPU", "of the driver of the graphics processor", "Apple, IOGPUFamily"],
    ["AGXG", "of the driver of the graphics processor", "Apple, AGX graphics drivers"],
    ["IOUAT", "of the driver of the graphics processor", "Apple, AGX graphics drivers"],
  ] as const).map(([key, what, source]) =>
    panic(
      key,
      `A check ${what} failed, which stopped the system on purpose.`,
      ["a driver or firmware bug", "hardware that did not answer as expected"],
      updates,
      source,
      "report",
    )
  ),
  panic(
    "Sources/hfs",
    "HFS+ met something that it could not go on with, such as an inconsistent volume.",
    ["a damaged volume", "failing storage", "a bug in the file system"],
    "Back up; run Disk Utility's First Aid.",
    "Apple, hfs",
  ),
  ...([
    [
      [
        "failed to respond to interrupts",
        "mp_rendezvous() timeout",
        "mp_rv_action() entry",
        "mp_rv_action() exit",
        "NMI_cpus() timeout",
        "mp_cpus_call1() timeout",
      ],
      "A CPU did not answer an interrupt of another in time. The panic is that of the CPU that waited for it.",
      ["a driver that keeps interrupts off on the CPU that did not answer", "failing hardware"],
      "",
      "osfmk/i386/mp.c; XNU 1504, osfmk/x86_64/pmap.c: pmap_flush_tlbs",
      "waiter",
    ],
    [
      ["has failed to respond to cross-call"],
      "A CPU did not answer an interrupt of another in time. The panic is that of the CPU that waited for it.",
      ["a driver that keeps interrupts off on the CPU that did not answer", "failing hardware"],
      "",
      "osfmk/arm/cpu_common.c",
      "waiter",
    ],
    [
      [
        "Interrupts held disabled",
        "Interrupt watchdog, cpu",
        "exceeded interrupt latency threshold",
        "Processing of an interrupt",
        "preemption disable timeout exceeded",
      ],
      "Code of the kernel or of an extension kept a CPU for itself (without interrupts, or in the handler of one) for longer than is allowed.",
      ["a driver that works or waits too long there", "a device that answered late"],
      extensions,
      "osfmk/arm/machine_routines_common.c; osfmk/i386/mp.c and trap.c",
      undefined,
    ],
    [
      ["Read from IO ", "Write to IO "],
      "A driver's access to a device's register took longer than is allowed: the device, or the bus to it, answered late.",
      ["a device that hung or had no power", "failing hardware", "a driver or firmware bug"],
      updates,
      "osfmk/kern/machine.c: ml_io_read and ml_io_write",
      undefined,
    ],
    [
      ["Preemption level altered by interrupt", "changed preemption level from"],
      "A handler of an interrupt did not leave the CPU as it had found it: it took or released locks more often than the other.",
      ofExtension,
      extensions,
      "osfmk/i386/trap.c: interrupt; osfmk/arm64/sleh.c",
      undefined,
    ],
    [
      [
        "Invalid/destroyed",
        "interlock destroyed mutex",
        "is not an initialized lock",
        "is not a usimple lock",
        "became uninitialized",
        "Invalid ticket lock",
        "Invalid HW ticket lock",
        "Invalid RW lock type",
        "Invalid rw lock type",
      ],
      "A lock was used that is none: it was not set up, was destroyed before, or its memory was freed or overwritten.",
      ["a bug in the kernel or an extension, such as memory used after it was freed"],
      extensions,
      "osfmk/kern/lock_mtx.c, lock_ticket.c and lock_rw.c; osfmk/i386/locks_i386.c",
      undefined,
    ],
    [
      [
        "unlock attempted from non-owner thread",
        "unexpectedly not owned by thread",
        ") not owned",
        "hasn't been taken",
        "rw lock count underflow",
        "unlocking lock 0x",
        "lock held in mode: ",
      ],
      "A thread released a lock that it did not hold, or was to hold one and did not.",
      ["a bug in the kernel or an extension", "a lock that was freed or overwritten"],
      extensions,
      "osfmk/kern/lock_mtx.c and lock_rw.c; osfmk/i386/locks_i386.c",
      undefined,
    ],
    [
      ["is trying to lock", "unexpectedly owned by thread"],
      "A thread held a lock that it must not hold there, as one that it was about to take: it would wait for itself without end.",
      ofExtension,
      extensions,
      "osfmk/kern/locks.c and lock_mtx.c",
      undefined,
    ],
    [
      ["held on return to userspace"],
      "A call of the kernel ended while its thread still held a lock.",
      ofExtension,
      extensions,
      "osfmk/kern/lock_rw.c",
      undefined,
    ],
    [
      ["zone bound checks"],
      "The kernel or an extension was to copy more than a block of memory has room for; the kernel's check stopped that.",
      ["a bug in the kernel or an extension: a size that is wrong, or came from a process unchecked"],
      "See the extensions in the backtrace, and what the running process called; update the system.",
      "osfmk/kern/zalloc.c: zone_element_bounds_check_panic",
      undefined,
    ],
    [
      [
        "zfree: freeing invalid pointer",
        "zfree: non-allocated memory",
        "zfree: NULL",
        "zfree()ing element",
        "Double free detected",
        "freeing an already freed mbuf",
        "kfree on an address not",
      ],
      "Memory was given back (freed) that the kernel's allocator does not know so: twice, or by a wrong pointer.",
      ["a bug in the extension that freed it, or in the kernel", "memory that was overwritten"],
      extensions,
      "osfmk/kern/zalloc.c and kalloc.c; osfmk/vm/vm_kern.c; bsd/kern/uipc_mbuf.c",
      undefined,
    ],
    [
      [
        "os_refcnt: ",
        "refcnt underflow",
        "refcnt overflow",
        "refcount underflow",
        "refcount overflow",
        "os_pcpu_ref: ",
        "Over-release of port",
        "over-released thread call",
      ],
      "The count of those who use an object of the kernel went wrong: it was released more often than it was taken, or taken too often.",
      ofExtension,
      extensions,
      "libkern/os/refcnt.c; osfmk/ipc/ipc_port.c; osfmk/kern/thread_call.c",
      undefined,
    ],
    [
      ["Non-monotonic time"],
      "The clock of a CPU went backwards.",
      [
        "failing hardware or firmware",
        "clocks of CPUs that differ, as on a hackintosh or in a virtual machine",
      ],
      "",
      "osfmk/kern/sched_prim.c",
      undefined,
    ],
    [
      [
        "Unsupported CPU",
        "steppings are not supported",
        "Threads, but only found",
        "registered from MADT",
        "Local APIC version",
      ],
      "The kernel met a CPU that it does not know, or one that is described to it wrongly.",
      ["a machine that is not Apple's (a hackintosh or a virtual machine), or its settings"],
      "",
      "osfmk/i386/cpuid.c, cpu_threads.c and lapic_native.c",
      undefined,
    ],
    [
      ["Process 1 exec of"],
      "The kernel could not start launchd, the first process, without which the system cannot run; errno says why.",
      ["a system volume that is damaged or not complete"],
      "Repair the volume or install the system anew.",
      "bsd/kern/kern_exec.c: load_init_program",
      undefined,
    ],
    [
      ["jnl: "],
      "The journal of an HFS+ volume met something that it could not go on with.",
      ["a damaged volume", "failing storage", "a bug in the file system"],
      "Back up; run Disk Utility's First Aid.",
      "bsd/vfs/vfs_journal.c",
      undefined,
    ],
    [
      ["Text page corruption detected", "decompressed data doesn't match original"],
      "Memory that nobody may have changed had changed.",
      ["failing memory", "a bug in the kernel or an extension"],
      "Run Apple Diagnostics.",
      "osfmk/vm/vm_fault.c and vm_compressor.c",
      "finder",
    ],
    [
      ["image2 pages corrupted", "Hibernate restore error"],
      "The machine's memory could not be restored as it was before it hibernated.",
      ["failing storage or memory", "a bug of firmware or a driver"],
      "",
      "iokit/Kernel/IOHibernateIO.cpp and IOHibernateRestoreKernel.c",
      undefined,
    ],
  ] as const).flatMap(([keys, what, causes, next, file, backtrace]) =>
    keys.map((key) => panic(key, what, [...causes], next, `XNU, ${file}`, backtrace))
  ),
  panic(
    "cannot find IOAESAccelerator",
    "A driver did not find the chip's engine for encryption (AES) when the system started.",
    ["a system that is damaged, or not for this machine, as in an emulator"],
    "Install the system anew.",
    "Apple, IOAESAccelerator",
    "report",
  ),
  panic(
    "CATERR",
    "The Intel CPU reported a fatal hardware error (CATERR).",
    ["failing hardware", "firmware"],
    "Update firmware; run Apple Diagnostics.",
    "Intel, signal of a catastrophic error (CATERR)",
    "moment",
  ),
];

/** What is told of a panic that no row is about. */
export const ownMessage: KnowledgeRow = panic(
  "",
  "The kernel or an extension stopped the system on purpose, by panic(); the message is its own, and says what it found.",
  [],
  extensions,
  "XNU, osfmk/kern/debug.c: panic",
);
