/** What crash services and other tools keep as JSON, by their published formats: Sentry's event payloads, Bugsnag's
 * error reporting API, KSCrash's KSCrashReportFields.h, MetricKit's MXCallStackTree, rust-minidump's schema. */

export const kscrash = {
  report: { version: "3.3.0", id: "A1", process_name: "Shop", timestamp: "2026-01-02T03:04:05Z" },
  binary_images: [
    {
      image_addr: 0x100000000,
      image_size: 0x10000,
      name: "/private/var/containers/Bundle/Application/X/Shop.app/Shop",
      uuid: "9E8D8DE6-EEC1-3199-8720-9ED68EE3F967",
      cpu_type: 0x100000c,
      cpu_subtype: 0,
    },
    {
      image_addr: 0x180000000,
      image_size: 0x10000,
      name: "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
      uuid: "CA12CAFA-91BA-3E1C-BE9C-E34DB96FE7DF",
    },
  ],
  system: {
    process_name: "Shop",
    process_id: 77,
    CFBundleIdentifier: "org.example.shop",
    CFBundleShortVersionString: "2.0",
    CFBundleVersion: "5",
    system_name: "iOS",
    system_version: "17.1",
    machine: "iPhone14,2",
    cpu_type: 0x100000c,
    cpu_subtype: 2,
  },
  crash: {
    error: {
      type: "mach",
      address: 16,
      mach: {
        exception: 1,
        exception_name: "EXC_BAD_ACCESS",
        code: 1,
        code_name: "KERN_INVALID_ADDRESS",
        subcode: 16,
      },
      signal: { signal: 11, name: "SIGSEGV", code: 0, code_name: "SEGV_NOOP" },
    },
    threads: [
      {
        index: 0,
        crashed: true,
        dispatch_queue: "com.apple.main-thread",
        registers: { basic: { pc: 0x100001010, x0: 0 }, exception: { far: 16 } },
        backtrace: {
          contents: [
            {
              instruction_addr: 0x100001010,
              object_addr: 0x100000000,
              object_name: "Shop",
              symbol_addr: 0x100001000,
              symbol_name: "-[Cart add:]",
            },
            {
              instruction_addr: 0x180000123,
              object_addr: 0x180000000,
              object_name: "CoreFoundation",
              symbol_addr: 0,
              symbol_name: "<redacted>",
            },
          ],
          skipped: 0,
        },
      },
      { index: 1, crashed: false, backtrace: { contents: [] } },
    ],
  },
};

/** An event as Sentry's SDK for Cocoa sends it: frames are outermost first. */
export const sentry = {
  event_id: "f31ce2b69e8e470c858eed4753fda78c",
  platform: "cocoa",
  contexts: {
    app: {
      app_name: "Shop",
      app_identifier: "org.example.shop",
      app_version: "2.0",
      app_build: "5",
    },
    os: { name: "iOS", version: "17.1", build: "21B80" },
    device: { model: "iPhone14,2", arch: "arm64" },
  },
  debug_meta: {
    images: [{
      type: "macho",
      code_file: "/private/var/containers/Bundle/Application/X/Shop.app/Shop",
      debug_id: "9E8D8DE6-EEC1-3199-8720-9ED68EE3F967",
      image_addr: "0x100000000",
      image_size: 65536,
    }],
  },
  exception: {
    values: [{
      type: "EXC_BAD_ACCESS",
      value: "Attempted to dereference null pointer.",
      thread_id: 0,
      mechanism: {
        type: "mach",
        handled: false,
        data: { relevant_address: "0x0000000000000008" },
        meta: {
          mach_exception: { name: "EXC_BAD_ACCESS", exception: 1, code: 1, subcode: 8 },
          signal: { name: "SIGSEGV", number: 11 },
        },
      },
      stacktrace: {
        frames: [
          {
            package: "/usr/lib/system/libdyld.dylib",
            function: "start",
            instruction_addr: "0x18a14159c",
          },
          {
            package: "/private/var/containers/Bundle/Application/X/Shop.app/Shop",
            function: "Cart.add(_:)",
            filename: "Cart.swift",
            lineno: 12,
            instruction_addr: "0x100001010",
            symbol_addr: "0x100001000",
          },
        ],
        registers: { pc: "0x0000000100001010" },
      },
    }],
  },
  threads: {
    values: [{ id: 0, crashed: true, name: "com.apple.main-thread" }, { id: 1, crashed: false }],
  },
};

const frame = {
  method: "-[Cart add:]",
  machoFile: "/private/var/containers/Bundle/Application/X/Shop.app/Shop",
  machoLoadAddress: "0x100000000",
  machoUUID: "9E8D8DE6-EEC1-3199-8720-9ED68EE3F967",
  symbolAddress: "0x100001000",
  frameAddress: "0x100001010",
  isPC: true,
};
export const bugsnag = {
  unhandled: true,
  app: { id: "org.example.shop", version: "2.0", bundleVersion: "5" },
  device: { osName: "iOS", osVersion: "17.1", modelNumber: "D63AP" },
  exceptions: [{
    errorClass: "NSRangeException",
    message: "index 3",
    type: "cocoa",
    stacktrace: [frame],
  }],
  threads: [{ id: "0", errorReportingThread: true, stacktrace: [frame] }],
};

/** Frames nested as MetricKit has them, each in the one before. */
export function nested(frames: readonly [string, number, number][]): object[] {
  let inner: object[] = [];
  for (const [binaryName, address, offset] of frames.toReversed()) {
    inner = [{
      binaryName,
      binaryUUID: "9E8D8DE6-EEC1-3199-8720-9ED68EE3F967",
      address,
      offsetIntoBinaryTextSegment: offset,
      sampleCount: 1,
      ...(inner.length === 0 ? {} : { subFrames: inner }),
    }];
  }
  return inner;
}

const crashed = nested([["Shop", 0x100001010, 0x1010], ["dyld", 0x190000100, 0x100]]);
const meta = {
  osVersion: "iPhone OS 17.1 (21B80)",
  platformArchitecture: "arm64e",
  deviceType: "iPhone14,2",
};
export const metricKit = {
  timeStampEnd: "2026-01-02 03:04:05",
  crashDiagnostics: [{
    version: "1.0.0",
    diagnosticMetaData: {
      ...meta,
      exceptionType: 1,
      exceptionCode: 1,
      signal: 11,
      terminationReason: "Namespace SIGNAL, Code 0xb",
      virtualMemoryRegionInfo:
        "0x10 is not in any region.  Bytes before following region: 4000000000",
    },
    callStackTree: {
      callStackPerThread: true,
      callStacks: [
        { threadAttributed: false, callStackRootFrames: [] },
        { threadAttributed: true, callStackRootFrames: crashed },
      ],
    },
  }],
  hangDiagnostics: [{
    diagnosticMetaData: { ...meta, hangDuration: "20 sec" },
    callStackTree: {
      callStackPerThread: true,
      callStacks: [{
        threadAttributed: true,
        callStackRootFrames: nested([["dyld", 0x190000100, 0x100], [
          "Shop",
          0x100001010,
          0x1010,
        ]]),
      }],
    },
  }],
};

const minidumpFrames = [
  {
    frame: 0,
    module: "shop",
    offset: "0x0000000100001010",
    module_offset: "0x1010",
    function: "cart::add",
    function_offset: "0x10",
    file: "hg:hg.example.org/shop:src/cart.cpp:957a743c4ca2",
    line: 12,
    inlines: [{ function: "list::push", file: "list.h", line: 3 }],
  },
  { frame: 1, module: "dyld", offset: "0x0000000190000100", module_offset: "0x100" },
];
export const minidump = {
  status: "OK",
  pid: 77,
  crash_info: {
    type: "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS",
    address: "0x10",
    crashing_thread: 1,
    assertion: null,
  },
  system_info: { os: "Mac OS X", os_ver: "13.0.0 22A380", cpu_arch: "arm64" },
  crashing_thread: {
    threads_index: 1,
    frames: [{ ...minidumpFrames[0], registers: { pc: "0x0000000100001010" } }, minidumpFrames[1]],
  },
  threads: [{ thread_name: null, frames: [] }, { thread_name: "main", frames: minidumpFrames }],
  main_module: 0,
  modules: [{
    filename: "shop",
    base_addr: "0x100000000",
    end_addr: "0x100010000",
    debug_id: "9E8D8DE6EEC1319987209ED68EE3F9670",
  }],
  mac_crash_info: {
    num_records: 1,
    records: [{ message: "failed check: full", module: "shop" }],
  },
};
