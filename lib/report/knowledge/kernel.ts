/** What names and numbers in kernel panics stand for: parts of the kernel, extensions, devices, errors of the CPU. */

/** What parts of XNU's source are for, by the names of files that are in no extension's; the folders osfmk, bsd and iokit. */
export const kernelParts: readonly (readonly [RegExp, string])[] = [
  [/^pmap\w*\.c/, "the tables of pages"],
  [/^vm_(?:compressor|swap)\w*\.c/, "compressed memory and swap files"],
  [
    /^(?:vm_(?:map|object|page|fault|kern|resident|user|purgeable|shared)\w*|memory_object)\.c/,
    "virtual memory",
  ],
  [/^(?:zalloc|kalloc|gzalloc|zcache)\.c/, "the kernel's own memory"],
  [/^(?:vfs_\w+|ubc_subr|spec_vnops|kern_descrip)\.c/, "files and volumes"],
  [/^(?:uipc_\w+|kern_control|sys_socket)\.c/, "sockets and the buffers of the network"],
  [/^(?:ipc_\w+|mach_port)\.c/, "Mach messages and ports"],
  [
    /^(?:sched_prim|thread|thread_call|task|processor|turnstile|waitq|timer_call)\.c/,
    "threads and tasks",
  ],
  [/^kern_(?:exec|exit|fork|proc|credential|sig|cs|event|synch)\.c/, "processes"],
];

/** The same of files whose names extensions have as well: only where the project is told. */
export const namedKernelParts: readonly (readonly [RegExp, string])[] = [
  [/^(?:tcp|udp|ip|ip6|in|in6|nd6|mptcp|dlil|bpf|if|necp|route|rtsock)(?:_\w+)?\.c/, "the network"],
  [
    /^IO(?:General|Sub|Multi|Buffer)?Memory\w*\.cpp|^IODMACommand\.cpp/,
    "memory that drivers use (IOKit)",
  ],
  [/^IO(?:PM\w*|ServicePM)\.cpp/, "the power of devices (IOKit)"],
  [/^IO\w+\.cpp/, "drivers in general (IOKit)"],
];

/** What Apple's extensions serve that one can do without, by their names; `null` where that is nothing. */
export const servedThings: readonly (readonly [RegExp, string | null])[] = [
  [/EndpointSecurity$/, "security software, which is told by it of what programs do"],
  [/\.(?:driver\.usb|iokit\.IOUSB)|AppleUSB/, "USB devices"],
  [/IOBluetooth|BluetoothHCI|BluetoothHost/, "Bluetooth devices"],
  [/Thunderbolt/, "Thunderbolt devices"],
  [
    /IOGraphics|Framebuffer|AppleIntel\w{0,40}Graphics|AMD|NVDA|GeForce|nvidia|IOAccelerator|IOGPU|AGX|IONDRV/,
    "external displays",
  ],
  [/IO80211|AirPort|BCMWLAN|BrcmNIC/, "Wi-Fi"],
  [/AppleHDA|IOAudio|USBAudio/, "audio devices"],
  [/IOHID|Multitouch/, "keyboards, mice and other such devices"],
  [/filesystems\.|IOStorage|SCSI|MassStorage/, "external and network volumes"],
  [
    /AppleMobileFileIntegrity|SystemPolicy|\.security\.|AppleSEP|CredentialManager|mDNSOffload|corecrypto|\.kec\.|driver\.watchdog|AppleSMC|AppleACPI|PlatformPlugin|IOPCIFamily|InterruptController|AppleT\d{4}|ARMPlatform|IONVMe/,
    null,
  ],
];

/** Makers of NVMe controllers by the vendor's number on PCI, which the PCI-SIG gives: the public list of PCI IDs. */
export const nvmeMakers: ReadonlyMap<number, string> = new Map([
  [0x106b, "Apple"],
  [0x10ec, "Realtek"],
  [0x1179, "Toshiba"],
  [0x126f, "Silicon Motion"],
  [0x1344, "Micron"],
  [0x144d, "Samsung"],
  [0x15b7, "SanDisk (Western Digital)"],
  [0x1987, "Phison"],
  [0x1b96, "Western Digital"],
  [0x1bb1, "Seagate"],
  [0x1c5c, "SK hynix"],
  [0x1cc1, "ADATA"],
  [0x1e0f, "KIOXIA"],
  [0x1e4b, "MAXIO"],
  [0x2646, "Kingston"],
  [0x8086, "Intel"],
  [0xc0a9, "Micron (Crucial)"],
]);

/** Classes of a machine check's code: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3B, "Interpreting
 * Machine-Check Error Codes". */
export const machineCheckCodes: readonly (readonly [mask: number, value: number, words: string])[] =
  [
    [0xffff, 0x0005, "a parity error inside of the CPU"],
    [0xffff, 0x0400, "a timer inside of the CPU: an instruction did not end in time"],
    [0xfc00, 0x0400, "an error inside of the CPU"],
    [0xeff0, 0x0010, "in the translation of addresses (TLB)"],
    [0xef80, 0x0080, "in a memory controller"],
    [0xef00, 0x0100, "in a cache"],
    [0xe800, 0x0800, "on the bus or interconnect, by which the CPU reaches memory and devices"],
  ];

/** Functions by which a kernel panics: they tell its backtrace from that of a process. XNU, osfmk/kern/debug.c. */
export const panics = /^_?(?:panic|panic_trap_to_debugger|panic_with_\w{1,40})$/;
