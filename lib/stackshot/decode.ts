/** Decoding a kcdata stackshot, full or delta, into {@linkcode StackshotData}. */
import type {
  Change,
  LoadInfo,
  RawFrame,
  SharedCacheInfo,
  StackshotData,
  TaskData,
  ThreadData,
  TurnstileInfo,
  WaitInfo,
} from "./data.ts";
import type { StackshotBudget } from "./budget.ts";
import {
  describedNumber,
  elements,
  itemName,
  type KcBuffer,
  type KcContainer,
  type KcItem,
  readKcdata,
  structs,
} from "./kcdata.ts";
import { big, type Layout, num, str, type Struct, text } from "./layout.ts";
import { containers, layouts, magics, texts, types } from "./types.ts";
import { collector } from "./warnings.ts";

/** `kUser64_p` and `kKernel64_p`. */
const user64 = 1n;
const kernel64 = 2n;
/** `kTerminatedSnapshot`. */
const terminated = 8n;

/** Decodes a kcdata stackshot.
 *
 * @param name of the file, for errors
 * @param offset of the buffer
 * @returns the stackshot, and where the next buffer would begin
 * @throws FormatError when no kcdata buffer begins there
 */
export function decodeKcdata(
  bytes: Uint8Array,
  name: string,
  budget: StackshotBudget,
  offset = 0,
): { data: StackshotData; end: number } {
  const warnings: string[] = [];
  const buffer = readKcdata(bytes, name, collector(warnings), budget, offset);
  return { data: new Decoder(buffer, name, warnings).decode(), end: buffer.end };
}

/** The items of a container by type, and those of unknown type. */
class Items {
  readonly #byType = new Map<number, KcItem[]>();
  readonly #definitions: ReadonlyMap<number, Layout>;
  /** By type, or by name for self-describing values. */
  readonly numbers: Record<string, bigint> = Object.create(null);
  readonly details: Record<string, Struct> = Object.create(null);
  readonly unknown: KcItem[] = [];

  constructor({ items }: KcContainer, definitions: ReadonlyMap<number, Layout>) {
    this.#definitions = definitions;
    for (const item of items) {
      const list = this.#byType.get(item.type);
      if (list === undefined) this.#byType.set(item.type, [item]);
      else list.push(item);
      if (item.description !== null) {
        const value = describedNumber(item);
        if (value !== null) this.numbers[item.description] = value;
        else this.unknown.push(item);
      } else if (item.count === null && layouts.has(item.type)) {
        const [struct] = structs(item);
        this.details[layouts.get(item.type)!.name] = struct;
      } else if (definitions.has(item.type) && !layouts.has(item.type)) {
        const [struct] = structs(item, definitions);
        const known = itemName(item, definitions);
        if (struct !== undefined && known !== null) this.details[known] = struct;
      } else if (!layouts.has(item.type) && !texts.has(item.type)) {
        this.unknown.push(item);
      }
    }
  }

  /** The structures of all items of a type, including array elements. */
  all(type: number): Struct[] {
    return (this.#byType.get(type) ?? []).flatMap((item) => structs(item, this.#definitions));
  }

  /** Elements, as bytes. */
  bytes(type: number): Uint8Array[] {
    return (this.#byType.get(type) ?? []).flatMap(elements);
  }

  first(type: number): Struct | undefined {
    const item = this.#byType.get(type)?.[0];
    return item === undefined ? undefined : structs(item)[0];
  }

  /** `null` when there is none. */
  text(type: number): string | null {
    const item = this.#byType.get(type)?.[0];
    return item === undefined ? null : text(item.data);
  }

  has(type: number): boolean {
    return this.#byType.has(type);
  }
}

class Decoder {
  readonly #buffer: KcBuffer;
  readonly #name: string;
  readonly #warnings: string[];
  readonly #isDelta: boolean;
  #timebase = { numer: 1, denom: 1 };

  constructor(buffer: KcBuffer, name: string, warnings: string[]) {
    this.#buffer = buffer;
    this.#name = name;
    this.#warnings = warnings;
    this.#isDelta = buffer.magic === magics.delta;
  }

  #items(container: KcContainer): Items {
    return new Items(container, this.#buffer.definitions);
  }

  decode(): StackshotData {
    const { root } = this.#buffer;
    const items = this.#items(root);
    const base = items.first(types.timebase);
    if (base !== undefined && num(base, "numer") > 0 && num(base, "denom") > 0) {
      this.#timebase = { numer: num(base, "numer"), denom: num(base, "denom") };
    }
    const value = (type: number, name: string): bigint | null => {
      const struct = items.first(type);
      return struct?.[name] === undefined ? null : big(struct, name);
    };
    const pageSize = value(types.pageSize, "kernel_page_size");
    const tasks: TaskData[] = [];
    const portLabels = new Map<number, string>();
    const unknownContainers: KcContainer[] = [];
    for (const container of root.containers) {
      if (container.type === containers.task || container.type === containers.transitioningTask) {
        tasks.push(this.#task(container));
      } else if (container.type === containers.portLabel) {
        this.#portLabel(container, portLabels);
      } else if (container.type !== containers.sharedCache) {
        unknownContainers.push(container);
      }
    }
    const primary = items.first(types.sharedCacheLoadInfo) ??
      this.#containedSharedCache(root.containers);
    return {
      form: this.#isDelta ? "delta" : "kcdata",
      source: this.#name,
      layout: null,
      absoluteTime: value(types.machAbsoluteTime, "mach_absolute_time"),
      time: value(types.usecsSinceEpoch, "usecs_since_epoch"),
      timebase: this.#timebase,
      since: value(types.deltaSince, "stackshot_delta_since_timestamp"),
      osVersion: items.text(types.osVersion),
      osBuild: items.text(types.osBuildVersion),
      bootArgs: items.text(types.bootArgs),
      pageSize: pageSize === null ? null : Number(pageSize),
      numbers: items.numbers,
      sharedCache: primary === undefined ? null : sharedCacheOf(primary),
      sharedCacheLayout: items.all(types.sharedCacheLayout).map(loadInfo),
      portLabels,
      threadGroups: items.all(types.threadGroups),
      coalitions: items.all(types.coalitions),
      tasks,
      namedTasks: items.all(types.nonrunnableTasks).map((task) => big(task, "nonrunnable_task")),
      details: items.details,
      unknown: items.unknown,
      unknownContainers,
      warnings: this.#warnings,
    };
  }

  /** The system's shared cache, on kernels that list every cache in use. */
  #containedSharedCache(all: readonly KcContainer[]): Struct | undefined {
    const primary = 1;
    const infos = all.filter(({ type }) => type === containers.sharedCache)
      .flatMap((container) => this.#items(container).all(types.sharedCacheInfo));
    return infos.find((info) => (num(info, "sharedCacheFlags") & primary) !== 0) ?? infos[0];
  }

  #portLabel(container: KcContainer, labels: Map<number, string>): void {
    const items = this.#items(container);
    const info = items.first(types.portLabel);
    const id = info === undefined ? Number(container.id) : num(info, "portlabel_id");
    labels.set(id, items.text(types.portLabelName) ?? "");
  }

  #task(container: KcContainer): TaskData {
    const items = this.#items(container);
    const whole = items.first(types.taskSnapshot);
    const delta = items.first(types.taskDelta);
    const exiting = items.first(types.transitioningTask);
    const [struct, prefix] = whole !== undefined
      ? [whole, "ts_"]
      : exiting !== undefined
      ? [exiting, "tts_"]
      : [delta ?? {}, "tds_"];
    const cpu = items.first(types.cpuArchitecture);
    const ownCache = items.first(types.sharedCacheLoadInfo);
    const kernelCache = items.first(types.kernelCacheLoadInfo);
    const unique = struct[`${prefix}unique_pid`];
    const threads = container.containers
      .filter(({ type }) => type === containers.thread)
      .map((inner) => this.#thread(inner));
    return {
      pid: struct[`${prefix}pid`] === undefined ? -1 : num(struct, `${prefix}pid`),
      uniqueId: unique === undefined ? container.id : big(struct, `${prefix}unique_pid`),
      name: str(struct, `${prefix}p_comm`),
      flags: big(struct, `${prefix}ss_flags`),
      exiting: container.type === containers.transitioningTask ||
        (big(struct, `${prefix}ss_flags`) & terminated) !== 0n,
      cpuType: cpu === undefined ? null : num(cpu, "cputype"),
      suspendCount: num(struct, `${prefix}suspend_count`),
      size: struct[`${prefix}task_size`] === undefined ? null : big(struct, `${prefix}task_size`),
      loadInfos: [types.loadInfo, types.loadInfo64].flatMap((type) =>
        items.all(type).map(loadInfo)
      ),
      textExec: items.all(types.textExecLoadInfo).map(loadInfo),
      kernelCache: kernelCache === undefined ? null : loadInfo(kernelCache),
      sharedCache: ownCache === undefined ? null : sharedCacheOf(ownCache),
      waits: items.all(types.waitInfo).map(waitInfo),
      turnstiles: items.all(types.turnstileInfo).map(turnstileInfo),
      donatingPids: items.all(types.donatingPids).map((pid) => num(pid, "donating_pid")),
      pageTables: items.all(types.pageTables).map((entry) => big(entry, "ts_pagetable")),
      threads: [
        ...threads,
        ...items.all(types.threadDelta).map((struct) => this.#changedThread(struct)),
      ],
      namedThreads: items.all(types.nonrunnableThreads)
        .map((thread) => big(thread, "nonrunnable_thread")),
      change: this.#change(whole !== undefined || exiting !== undefined, delta !== undefined),
      details: items.details,
      unknown: items.unknown,
    };
  }

  #change(isNew: boolean, isChanged: boolean): Change | null {
    return !this.#isDelta ? null : isNew ? "new" : isChanged ? "changed" : "named";
  }

  #thread(container: KcContainer): ThreadData {
    const items = this.#items(container);
    const struct = items.first(types.threadSnapshot) ?? {};
    const id = struct.ths_thread_id;
    const async = items.first(types.asyncStart);
    const flags = big(struct, "ths_ss_flags");
    const kernelFrames = frames(items, [
      types.kernelFrames64,
      types.kernelFrames32,
      types.kernelLr64,
      types.kernelLr32,
    ]);
    const userFrames = frames(items, [
      types.userFrames64,
      types.userFrames32,
      types.userLr64,
      types.userLr32,
    ]);
    const nanoseconds = (name: string) => this.#nanoseconds(big(struct, name));
    return {
      id: id === undefined ? container.id : big(struct, "ths_thread_id"),
      name: items.text(types.threadName) ?? "",
      queueLabel: items.text(types.queueLabel) ?? "",
      queueSerial: big(struct, "ths_dqserialnum"),
      state: num(struct, "ths_state"),
      flags,
      waitEvent: big(struct, "ths_wait_event"),
      continuation: big(struct, "ths_continuation"),
      userTime: nanoseconds("ths_user_time"),
      systemTime: nanoseconds("ths_sys_time"),
      basePriority: num(struct, "ths_base_priority"),
      priority: num(struct, "ths_sched_priority"),
      qos: num(struct, "ths_eqos"),
      kernelFrames,
      userFrames,
      kernel64: (flags & kernel64) !== 0n || items.has(types.kernelLr64) ||
        items.has(types.kernelFrames64),
      user64: (flags & user64) !== 0n || items.has(types.userLr64) ||
        items.has(types.userFrames64),
      asyncFrames: frames(items, [types.asyncLr64]),
      asyncStart: async === undefined ? null : num(async, "user_async_start_index"),
      change: this.#change(true, false),
      details: items.details,
      unknown: items.unknown,
    };
  }

  #changedThread(struct: Struct): ThreadData {
    const flags = big(struct, "tds_ss_flags");
    return {
      id: big(struct, "tds_thread_id"),
      name: "",
      queueLabel: "",
      queueSerial: 0n,
      state: num(struct, "tds_state"),
      flags,
      waitEvent: 0n,
      continuation: 0n,
      userTime: 0n,
      systemTime: 0n,
      basePriority: num(struct, "tds_base_priority"),
      priority: num(struct, "tds_sched_priority"),
      qos: num(struct, "tds_eqos"),
      kernelFrames: [],
      userFrames: [],
      kernel64: (flags & kernel64) !== 0n,
      user64: (flags & user64) !== 0n,
      asyncFrames: [],
      asyncStart: null,
      change: this.#change(false, true),
      details: { thread_delta_snapshot: struct },
      unknown: [],
    };
  }

  #nanoseconds(absolute: bigint): bigint {
    const { numer, denom } = this.#timebase;
    return absolute * BigInt(numer) / BigInt(denom);
  }
}

function loadInfo(struct: Struct): LoadInfo {
  return { uuid: str(struct, "imageUUID"), address: big(struct, "imageLoadAddress") };
}

/** x86_64 kernels that do not record the first mapping record the region that contains it. The mapping
 * is this far above: XNU's `kcdata.py`. */
const wrongBase = { base: 0x7fff_0000_0000n, below: 0x2000_0000n } as const;

function sharedCacheOf(struct: Struct): SharedCacheInfo {
  const first = big(struct, "sharedCacheSlidFirstMapping");
  const slide = big(struct, "sharedCacheSlide");
  const told = big(struct, "sharedCacheUnreliableSlidBaseAddress");
  const unreliable = told - slide === wrongBase.base ? told + wrongBase.below : told;
  return {
    uuid: str(struct, "sharedCacheUUID"),
    slide,
    // All ones: the kernel could not determine it.
    base: first === 0n || first === 0xffff_ffff_ffff_ffffn ? unreliable : first,
  };
}

function waitInfo(struct: Struct): WaitInfo {
  return {
    waiter: big(struct, "waiter"),
    owner: big(struct, "owner"),
    context: big(struct, "context"),
    type: num(struct, "wait_type"),
    flags: num(struct, "wait_flags"),
    portLabel: num(struct, "portlabel_id"),
  };
}

function turnstileInfo(struct: Struct): TurnstileInfo {
  return {
    waiter: big(struct, "waiter"),
    context: big(struct, "turnstile_context"),
    priority: num(struct, "turnstile_priority"),
    hops: num(struct, "number_of_hops"),
    flags: big(struct, "turnstile_flags"),
  };
}

/** The frames of the first of the types that is present. */
function frames(items: Items, wanted: readonly number[]): RawFrame[] {
  return wanted.flatMap((type) =>
    items.all(type).map((struct) => ({
      address: big(struct, "lr"),
      frame: struct.sp === undefined ? null : big(struct, "sp"),
    }))
  );
}
