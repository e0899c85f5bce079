import type { Arch } from "../arch/mod.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { ImageList } from "./images.ts";
import type { MachKernel, Region } from "./kernel.ts";
import { archOfTask, readRegions } from "./live.ts";
import { Memory } from "./memory.ts";
import type { Pause } from "./pause.ts";
import type { Symbols } from "./resolution.ts";
import { Snapshot } from "./snapshot.ts";
import { type Services, Target } from "./target.ts";
import { Thread, type Walk } from "./thread.ts";

/** The most that a snapshot takes of one stack: V8's own limit is just below. */
const maxStack = 1 << 20;

/** This very process. It can be looked at in snapshots only: a lasting pause would stop the thread
 * that is to end it. */
export class SelfTarget extends Target {
  readonly kind = "self";
  readonly arch: Arch;
  readonly pid: number;
  readonly name: string;
  readonly memory: Memory;
  readonly paused = false;
  readonly #kernel: MachKernel;
  readonly #walk: Walk;
  readonly #images: ImageList;

  constructor(kernel: MachKernel, services: Services, name: string) {
    super();
    this.#kernel = kernel;
    this.#walk = services.walk;
    const task = kernel.taskSelf();
    this.arch = archOfTask(kernel, task);
    this.pid = kernel.taskDyldInfo(task).pid;
    this.name = name;
    this.memory = new Memory(
      (address, into) => kernel.vmRead(task, address, into),
      this.arch.pointerSize,
    );
    this.#images = new ImageList({
      memory: this.memory,
      dyldInfo: () => kernel.taskDyldInfo(task),
      mappedRegions: () => kernel.system === "linux" ? readRegions(kernel, task, true) : [],
      symbols: services.symbols,
    });
  }

  get images(): readonly LoadedImage[] {
    this.#images.refresh();
    return this.#images.images;
  }

  get warnings(): readonly string[] {
    return this.#images.warnings;
  }

  protected get symbols(): Symbols {
    this.#images.refresh();
    return this.#images.symbols;
  }

  get threads(): readonly Thread[] {
    return this.snapshot().threads;
  }

  /** @throws TypeError always: take a {@linkcode snapshot} */
  pause(): Pause {
    throw new TypeError(
      "a process cannot pause itself and go on: the thread that would resume it is stopped too; " +
        "use snapshot()",
    );
  }

  snapshot(): Snapshot {
    const capture = this.#kernel.snapshotSelf({
      stateSize: this.arch.threadState.size,
      maxStack,
    });
    const context = {
      arch: this.arch,
      resolver: this.symbols,
      walk: this.#walk,
      readInto: undefined,
      control: undefined,
    };
    return new Snapshot(
      this,
      capture.threads.map((thread, index) => new Thread(context, index, thread)),
      this.images,
      Math.round(capture.stoppedNanoseconds / 1000),
    );
  }

  regions(): Region[] {
    return readRegions(this.#kernel, this.#kernel.taskSelf(), true);
  }

  [Symbol.dispose](): void {}
}
