import type { RawText } from "../escape.ts";
import type { Arch } from "../arch/mod.ts";
import type { FileSystem } from "../file_system.ts";
import { withHex } from "../json_form.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { DispatchReader } from "./dispatch.ts";
import { ImageList } from "./images.ts";
import type { MachKernel, Region } from "./kernel.ts";
import { archOfTask, readRegions } from "./live.ts";
import { Memory } from "./memory.ts";
import type { Pause } from "./pause.ts";
import { Symbolizer, type SymbolOptions } from "../symbols/walking.ts";
import { Snapshot, type SnapshotOptions, Target } from "./target.ts";
import { Thread } from "./thread.ts";

/** Maximum number of bytes captured of one stack. V8's own limit is just below. */
const maxStack = 1 << 20;

/** This process. It can only be captured in snapshots: a lasting pause would stop the thread that has to
 * end it.
 *
 * @example
 * ```ts
 * import { attachSelf } from "@machpause/machpause";
 *
 * const target = attachSelf();
 * console.log(target.pid, target.images[0].path);
 * ```
 */
export class SelfTarget extends Target {
  /** See {@linkcode Target.kind}. */
  readonly kind = "self";
  /** See {@linkcode Target.arch}. */
  readonly arch: Arch;
  /** See {@linkcode Target.pid}. */
  readonly pid: number;
  /** See {@linkcode Target.name}. */
  readonly name: RawText;
  /** See {@linkcode Target.memory}. */
  readonly memory: Memory;
  /** See {@linkcode Target.paused}. */
  readonly paused = false;
  readonly #kernel: MachKernel;
  readonly #images: ImageList;

  /** Opens this process.
   *
   * @param name of the process, for people
   * @ignore
   */
  constructor(
    kernel: MachKernel,
    system: FileSystem,
    name: string,
    options: SymbolOptions = {},
  ) {
    super(system, options);
    this.#kernel = kernel;
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
      openFile: (path) => system.files.open(path),
      symbols: (images) => new Symbolizer(images, this.debug),
    });
  }

  /** See {@linkcode Target.images}. */
  get images(): readonly LoadedImage[] {
    this.#images.refresh();
    return this.#images.images;
  }

  /** See {@linkcode Target.variableOrigin}. */
  protected get isRunning(): boolean {
    return true;
  }

  /** See {@linkcode Target.warnings}. */
  get warnings(): readonly string[] {
    return this.#images.warnings;
  }

  /** See {@linkcode Target.symbols}. */
  protected get symbols(): Symbolizer {
    this.#images.refresh();
    return this.#images.symbols;
  }

  /** See {@linkcode Target.threads}. */
  get threads(): readonly Thread[] {
    return this.snapshot().threads;
  }

  /** See {@linkcode Target.pause}. A process cannot pause itself.
   *
   * @throws TypeError always: take a {@linkcode snapshot}
   */
  pause(): Pause {
    throw new TypeError(
      "a process cannot pause itself and go on: the thread that would resume it is stopped too; " +
        "use snapshot()",
    );
  }

  /** See {@linkcode Target.snapshot}.
   *
   * @throws TypeError when it is to follow variables
   */
  snapshot({ follow }: SnapshotOptions = {}): Snapshot {
    if (follow !== undefined) {
      throw new TypeError("this process cannot follow its own variables while it is stopped");
    }
    const capture = this.#kernel.snapshotSelf({
      stateSize: this.arch.threadState.size,
      maxStack,
    });
    const context = {
      arch: this.arch,
      resolver: this.symbols,
      readInto: undefined,
      variables: this.variableOrigin,
      control: undefined,
      dispatch: new DispatchReader({
        arch: this.arch,
        images: () => this.#images.images,
        readInto: (address, into) => this.#kernel.vmRead(this.#kernel.taskSelf(), address, into),
      }, capture.threads),
    };
    return new Snapshot(
      this,
      capture.threads.map((thread, index) => new Thread(context, index, thread)),
      this.images,
      Math.round(capture.stoppedNanoseconds / 1000),
    );
  }

  /** See {@linkcode Target.regions}. */
  regions(): Region[] {
    return readRegions(this.#kernel, this.#kernel.taskSelf(), true).map(withHex);
  }

  /** Closes the files of debug information. */
  [Symbol.dispose](): void {
    this.debug[Symbol.dispose]();
  }
}
