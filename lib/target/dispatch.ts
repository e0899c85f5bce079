/** The dispatch queues of threads, and what libpthread knows of a thread: from the memory of the target.
 *
 * A thread's slots begin at its handle (`cthread_self` in XNU); in one of them, at the `dispatch_qaddr` that
 * the kernel tells, is a pointer to the queue. libdispatch says in `dispatch_queue_offsets` where a queue
 * has its label, width and target (libdispatch `src/init.c`, `private/introspection_private.h`). libpthread
 * says nothing of the kind: its `struct pthread_s` is known by version (`src/types_internal.h`). */

import type { Arch } from "../arch/mod.ts";
import type { RawText } from "../escape.ts";
import { MachError, MemoryReadError, TargetGoneError } from "../errors.ts";
import { withHex } from "../json_form.ts";
import { log } from "../log.ts";
import { type AddressRange, Image, type LoadedImage } from "../macho/walking.ts";
import { unsignedOf } from "../values/scalars.ts";
import type { CapturedThread } from "./kernel.ts";
import { Memory, type ReadInto } from "./memory.ts";

/** A dispatch queue. */
export interface DispatchQueue {
  /** Of its `dispatch_queue_s`. */
  readonly address: bigint;
  /** Its label; empty where it has none. */
  readonly label: RawText;
  /** Whether it runs one block after another or several at once; `null` when libdispatch does not say. */
  readonly kind: "serial" | "concurrent" | null;
  /** The number that libdispatch counts its queues by; `null` when it does not say. */
  readonly serialNumber: bigint | null;
  /** The labels of the queues that it runs on, the root queue last. */
  readonly targets: readonly RawText[];
}

/** A quality-of-service class of `<sys/qos.h>`. */
export type QosClass =
  | "user-interactive"
  | "user-initiated"
  | "default"
  | "utility"
  | "background"
  | "maintenance";

/** What is known of a thread beyond what the kernel says. */
export interface ThreadService {
  /** The queue whose work it runs; `null` when it runs none. */
  readonly queue: DispatchQueue | null;
  /** The class that it was given; `null` when it has none or that is not known. */
  readonly qos: QosClass | null;
  /** The name that libpthread keeps; empty when it has none or that is not known. */
  readonly name: RawText;
}

/** What is read from. */
export interface DispatchSource {
  readonly arch: Arch;
  readonly images: () => readonly LoadedImage[];
  readonly readInto: ReadInto;
}

const nothing: ThreadService = { queue: null, qos: null, name: "" };

/** `dispatch_queue_offsets_s`: 16-bit offsets and sizes. Those that a version does not have are 0. */
interface QueueOffsets {
  readonly version: number;
  readonly label: number;
  readonly labelSize: number;
  readonly serialNumber: number;
  readonly serialNumberSize: number;
  readonly width: number;
  readonly widthSize: number;
  readonly target: number;
  readonly targetSize: number;
}

/** The versions that are known: 1 to 3 have the label in the queue, 4 and later a pointer to it (OS X 10.9).
 * 5 (OS X 10.10) adds the target. */
const FIRST_VERSION = 1;
const LAST_VERSION = 6;
/** Maximum length of a label in bytes. libdispatch has no limit; XNU's stackshots have 64. */
const MAX_LABEL = 256;
/** Maximum length of the chain of targets. Longer ones are damage. */
const MAX_TARGETS = 16;
/** Maximum distance of a queue's field from its start. `dispatch_queue_s` has at most 128 bytes. */
const MAX_OFFSET = 4096;
/** `MAXTHREADNAMESIZE`. */
const NAME_SIZE = 64;
/** `__TSD_THREAD_QOS_CLASS` of `<os/tsd.h>`: the slot of a thread's `pthread_priority_t`. */
const QOS_SLOT = 4;
/** `_PTHREAD_PRIORITY_QOS_CLASS_SHIFT`, and the classes by their bit: `THREAD_QOS_*`, less 1. */
const QOS_SHIFT = 8n;
const qosClasses: readonly QosClass[] = [
  "maintenance",
  "background",
  "utility",
  "default",
  "user-initiated",
  "user-interactive",
];

/** Reads the queues of one capture's threads, all of them when the first is asked for. */
export class DispatchReader {
  readonly #source: DispatchSource;
  readonly #captured: readonly CapturedThread[];
  readonly #ranges: AddressRange[] = [];
  #services: ReadonlyMap<CapturedThread, ThreadService> | undefined;

  constructor(source: DispatchSource, captured: readonly CapturedThread[]) {
    this.#source = source;
    this.#captured = captured;
  }

  /** Of one thread of the capture. */
  of(captured: CapturedThread): ThreadService {
    this.#services ??= this.#read();
    return this.#services.get(captured) ?? nothing;
  }

  /** The memory that was read. */
  get ranges(): readonly AddressRange[] {
    this.#services ??= this.#read();
    return this.#ranges;
  }

  #read(): ReadonlyMap<CapturedThread, ThreadService> {
    const services = new Map<CapturedThread, ThreadService>();
    const handled = this.#captured.filter(({ info }) =>
      info.dispatchQueueAddress !== 0n || info.handle !== 0n
    );
    if (handled.length === 0) return services;
    const { arch, images, readInto } = this.#source;
    const memory = new Memory(readInto, arch.pointerSize);
    // Queues and labels share pages. The target may run: nothing is kept for later.
    memory.caching = true;
    const batch = new Batch(memory, arch, this.#ranges, images);
    for (const captured of handled) {
      try {
        services.set(captured, batch.service(captured));
      } catch (error) {
        if (!(error instanceof MachError || error instanceof TargetGoneError)) throw error;
        log.dyld?.(`dispatch queues: ${error.message}`);
        break;
      }
    }
    return services;
  }
}

/** Reading the threads of one capture. */
class Batch {
  readonly #memory: Memory;
  readonly #arch: Arch;
  readonly #ranges: AddressRange[];
  readonly #images: () => readonly LoadedImage[];
  readonly #queues = new Map<bigint, DispatchQueue | null>();
  #offsets: QueueOffsets | null | undefined;
  #layout: PthreadLayout | null | undefined;

  constructor(
    memory: Memory,
    arch: Arch,
    ranges: AddressRange[],
    images: () => readonly LoadedImage[],
  ) {
    this.#memory = memory;
    this.#arch = arch;
    this.#ranges = ranges;
    this.#images = images;
  }

  service(captured: CapturedThread): ThreadService {
    const { name, dispatchQueueAddress } = captured.info;
    const pointer = dispatchQueueAddress === 0n
      ? undefined
      : this.#pointer(dispatchQueueAddress, captured);
    const queue = pointer === undefined || pointer === 0n ? null : this.#queue(pointer);
    const handle = this.#handle(captured);
    if (handle === undefined) return queue === null ? nothing : { queue, qos: null, name: "" };
    const { pointerSize } = this.#arch;
    const priority = this.#pointer(handle + BigInt(QOS_SLOT * pointerSize), captured) ?? 0n;
    return {
      queue,
      qos: qosOf(priority),
      name: name === "" ? this.#name(handle, captured) : "",
    };
  }

  /** The address of a thread's slots, if the first one points to the structure that they end. */
  #handle(captured: CapturedThread): bigint | undefined {
    const { handle } = captured.info;
    if (handle === 0n) return undefined;
    const self = this.#pointer(handle, captured);
    const distance = self === undefined ? 0n : handle - self;
    return slotOffsets(this.#arch).includes(Number(distance)) ? handle : undefined;
  }

  #name(handle: bigint, captured: CapturedThread): RawText {
    const layout = this.#layout ??= this.#findLayout();
    const self = this.#pointer(handle, captured);
    if (layout === null || self === undefined) return "";
    const bytes = this.#read(self + BigInt(layout.name), NAME_SIZE, captured);
    return bytes === undefined ? "" : text(bytes);
  }

  /** By the version of the target's libpthread. */
  #findLayout(): PthreadLayout | null {
    const image = this.#images().find(({ name }) => name === "libsystem_pthread.dylib");
    const version = image instanceof Image ? Number.parseInt(image.sourceVersion ?? "") : NaN;
    return Number.isNaN(version) ? null : pthreadLayout(this.#arch, version);
  }

  #queue(address: bigint): DispatchQueue | null {
    let queue = this.#queues.get(address);
    if (queue === undefined) {
      const offsets = this.#offsets ??= this.#findOffsets();
      queue = offsets === null ? null : this.#readQueue(address, offsets);
      this.#queues.set(address, queue);
    }
    return queue;
  }

  #readQueue(address: bigint, offsets: QueueOffsets): DispatchQueue | null {
    const label = this.#label(address, offsets);
    if (label === undefined) return null;
    const width = this.#field(address, offsets.width, offsets.widthSize);
    const targets: RawText[] = [];
    const seen = new Set([address]);
    for (let at = address; targets.length < MAX_TARGETS;) {
      const target = this.#field(at, offsets.target, offsets.targetSize);
      if (target === undefined || target === 0n || seen.has(target)) break;
      const name = this.#label(target, offsets);
      if (name === undefined) break;
      targets.push(name);
      seen.add(target);
      at = target;
    }
    return withHex<DispatchQueue>({
      address,
      label,
      kind: width === undefined || width === 0n ? null : width === 1n ? "serial" : "concurrent",
      serialNumber: this.#field(address, offsets.serialNumber, offsets.serialNumberSize) ?? null,
      targets,
    });
  }

  /** `undefined` where it cannot be read. */
  #label(queue: bigint, offsets: QueueOffsets): RawText | undefined {
    if (offsets.version < 4) {
      const bytes = this.#read(queue + BigInt(offsets.label), offsets.labelSize);
      return bytes === undefined ? undefined : text(bytes);
    }
    const pointer = this.#field(queue, offsets.label, offsets.labelSize);
    if (pointer === undefined) return undefined;
    if (pointer === 0n) return "";
    try {
      const label = this.#memory.readCString(pointer, MAX_LABEL);
      this.#note(pointer, MAX_LABEL);
      return label;
    } catch (error) {
      if (error instanceof MemoryReadError) return undefined;
      throw error;
    }
  }

  /** A number in a queue; `undefined` where this version has none or it cannot be read. */
  #field(queue: bigint, offset: number, size: number): bigint | undefined {
    if (![1, 2, 4, 8].includes(size) || offset + size > MAX_OFFSET) return undefined;
    const bytes = this.#read(queue + BigInt(offset), size);
    return bytes === undefined ? undefined : unsignedOf(bytes);
  }

  /** A pointer of a thread's; from its captured stack, at whose end libpthread has it, where it is there. */
  #pointer(address: bigint, captured: CapturedThread): bigint | undefined {
    const size = this.#arch.pointerSize;
    const bytes = this.#read(address, size, captured);
    if (bytes === undefined) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, size);
    return size === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true));
  }

  #read(address: bigint, size: number, captured?: CapturedThread): Uint8Array | undefined {
    this.#note(address, size);
    if (captured !== undefined) {
      const { stack, stackAddress } = captured;
      const offset = Number(address - stackAddress);
      if (offset >= 0 && offset + size <= stack.length) {
        return stack.subarray(offset, offset + size);
      }
    }
    const bytes = this.#memory.readUpTo(address, size);
    return bytes.length < size ? undefined : bytes;
  }

  #note(address: bigint, size: number): void {
    this.#ranges.push({ start: address, end: address + BigInt(size) });
  }

  #findOffsets(): QueueOffsets | null {
    for (const image of offsetImages(this.#images())) {
      const address = image.findSymbols("_dispatch_queue_offsets")[0]?.address;
      if (address === undefined) continue;
      const offsets = this.#readOffsets(address);
      log.dyld?.(
        `dispatch_queue_offsets in ${image.name}: ` +
          (offsets === null ? "not known" : `version ${offsets.version}`),
      );
      if (offsets !== null) return offsets;
    }
    return null;
  }

  /** `dqo_version, dqo_label, dqo_label_size, dqo_flags, dqo_flags_size, dqo_serialnum,
   * dqo_serialnum_size, dqo_width, dqo_width_size, dqo_running, dqo_running_size`; from version 5 on
   * `dqo_suspend_cnt, dqo_suspend_cnt_size, dqo_target_queue, dqo_target_queue_size, …`. */
  #readOffsets(address: bigint): QueueOffsets | null {
    const bytes = this.#read(address, 22);
    if (bytes === undefined) return null;
    const word = (index: number, from = bytes) => from[2 * index] | from[2 * index + 1] << 8;
    const version = word(0);
    if (version < FIRST_VERSION || version > LAST_VERSION) return null;
    const more = version >= 5 ? this.#read(address, 30) : undefined;
    const offsets = {
      version,
      label: word(1),
      labelSize: word(2),
      serialNumber: word(5),
      serialNumberSize: word(6),
      width: word(7),
      widthSize: word(8),
      target: more === undefined ? 0 : word(13, more),
      targetSize: more === undefined ? 0 : word(14, more),
    };
    return offsets.label > MAX_OFFSET || offsets.labelSize > MAX_LABEL ? null : offsets;
  }
}

/** Where libdispatch may be: the library of that name, and then what the program brings along. */
function offsetImages(images: readonly LoadedImage[]): Image[] {
  const machO = images.filter((image) => image instanceof Image);
  const own = machO.filter(({ name }) => name === "libdispatch.dylib");
  return own.length > 0 ? own : machO.filter(({ inSharedCache }) => !inSharedCache);
}

function qosOf(priority: bigint): QosClass | null {
  for (let index = qosClasses.length; index-- > 0;) {
    if ((priority >> (QOS_SHIFT + BigInt(index)) & 1n) !== 0n) return qosClasses[index];
  }
  return null;
}

function text(bytes: Uint8Array): RawText {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Where `struct pthread_s` has what is read. */
interface PthreadLayout {
  /** The name, of 64 bytes. */
  readonly name: number;
}

/** Offsets of the slots in `struct pthread_s`. The one before libpthread 137 is of armv7 alone. */
function slotOffsets({ name, pointerSize }: Arch): readonly number[] {
  return pointerSize === 8 ? [224] : name === "armv7" ? [176, 164] : [176];
}

/** The offset of `pthread_name` from a version of libpthread on: compiled from each version's
 * `types_internal.h`, before 330 `internal.h`. */
const names: readonly (readonly [since: number, is64: number, is32: number])[] = [
  [416, 80, 52],
  [330, 72, 48],
  [218, 112, 72],
];

/** `null` where the version is not known. */
export function pthreadLayout({ name, pointerSize }: Arch, version: number): PthreadLayout | null {
  const row = names.find(([since]) => version >= since);
  if (row !== undefined) return { name: pointerSize === 8 ? row[1] : row[2] };
  if (version < 105) return null;
  return { name: pointerSize === 8 ? 120 : name === "i386" ? 92 : 80 };
}
