import type { UnwindInput } from "./frame.ts";

/** Size in bytes of a read beyond the captured part, large enough that a deep stack costs few
 * reads. */
const pieceSize = 1 << 20;

/** What a stack is read from. */
type StackInput =
  & Pick<UnwindInput, "stack" | "stackAddress" | "stackEnd">
  & Partial<Pick<UnwindInput, "readInto" | "onRead">>;

/** Reads one thread's stack: the captured part, and what is beyond it from the target's memory
 * while that can be read. Addresses are numbers, since all user stacks lie below 2^53. */
export class StackReader {
  #end: number;
  readonly #input: StackInput;
  #view: DataView;
  #start: number;
  #size: number;

  constructor(input: StackInput) {
    const { stack } = input;
    this.#input = input;
    this.#view = new DataView(stack.buffer, stack.byteOffset, stack.byteLength);
    this.#start = Number(input.stackAddress);
    this.#size = stack.length;
    this.#end = Number(input.stackEnd);
  }

  /** The stack's upper bound; 0 when not known. */
  get end(): number {
    return this.#end;
  }

  /** Continues in another stack, whose bounds are not known. */
  forgetEnd(): void {
    this.#end = 0;
  }

  /** Makes the `size` bytes at `address` readable; false when they cannot be read. */
  cover(address: number, size: number): boolean {
    if (address >= this.#start && address + size <= this.#start + this.#size) return true;
    const { readInto, stack } = this.#input;
    const captured = Number(this.#input.stackAddress);
    if (address >= captured && address + size <= captured + stack.length) {
      this.#look(stack, captured, stack.length);
      return true;
    }
    if (readInto === undefined) return false;
    const into = new Uint8Array(
      this.#end > address ? Math.min(pieceSize, this.#end - address) : size,
    );
    const length = readInto(BigInt(address), into);
    if (length < size) return false;
    this.#look(into, address, length);
    return true;
  }

  #look(bytes: Uint8Array, start: number, size: number): void {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, size);
    this.#start = start;
    this.#size = size;
  }

  /** The unsigned number of `size` bytes at a covered address. */
  read(address: number, size: number): bigint {
    const at = address - this.#start;
    this.#input.onRead?.(address);
    switch (size) {
      case 8:
        return this.#view.getBigUint64(at, true);
      case 4:
        return BigInt(this.#view.getUint32(at, true));
      case 2:
        return BigInt(this.#view.getUint16(at, true));
      default:
        return BigInt(this.#view.getUint8(at));
    }
  }
}
