/** The lengths and operands of x86 instructions, as far as unwinding needs them: "Intel 64 and
 * IA-32 Architectures Software Developer's Manual", volume 2, chapter 2 (formats) and appendix A
 * (opcode maps). */

/** What follows each opcode, sixteen opcodes in each string:
 *
 * - `.` nothing, `m` a ModRM byte and what that asks for
 * - `b` a byte, `w` two, `z` four or, with an operand-size prefix, two
 * - `B`, `Z` a ModRM byte and then those
 * - `j` a branch's distance: like `z`, but always four bytes in 64 bits
 * - `v` like `z`, but eight with REX.W; `o` an offset as wide as addresses
 * - `e` three bytes (`enter`), `g`, `G` a ModRM byte, and `b` or `z` if it says `test`
 * - `?`, `n`, `x`, `y`, `f` are like `.`, `m`, `B`, `b`, and a far pointer, but not in 64 bits
 * - `p` a prefix or an escape, which is not looked up here; `!` no instruction
 */
const oneByteMap = [
  ...["mmmmbz??mmmmbz?p", "mmmmbz??mmmmbz??", "mmmmbzp?mmmmbzp?", "mmmmbzp?mmmmbzp?"],
  ...["................", "................", "??nmppppzZbB....", "bbbbbbbbbbbbbbbb"],
  ...["BZxBmmmmmmmmmmmm", "..........f.....", "oooo....bz......", "bbbbbbbbvvvvvvvv"],
  ...["BBw.nnBZe.w..b?.", "mmmmyy?.mmmmmmmm", "bbbbbbbbjjfb....", "p.pp..gG......mm"],
].join("");

/** The same after 0F. */
const twoByteMap = [
  ...["mmmm!.....!.!m.B", "mmmmmmmmmmmmmmmm", "mmmm!!!!mmmmmmmm", "......!.p!p!!!!!"],
  ...["mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "BBBBmmm.mm!!mmmm"],
  ...["jjjjjjjjjjjjjjjj", "mmmmmmmmmmmmmmmm", "...mBm!!...mBmmm", "mmmmmmmmmmBmmmmm"],
  ...["mmBmBBBm........", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm"],
].join("");

/** The architecture's limit, prefixes included. */
export const MAX_LENGTH = 15;

/** The opcode of vector instructions and of those after 0F 38 and 0F 3A. None of them changes the
 * stack pointer. */
export const OTHER = -1;

/** The base of a memory operand that has no base register: an absolute address, one relative to the
 * next instruction, or one in a segment of its own. */
export const NO_BASE = -1;

/** Decodes one instruction at a time into its own fields, so that a function with thousands of them
 * costs no allocations. Registers have the numbers they have in instructions. */
export class X86Decoder {
  readonly #wide: boolean;
  /** Size in bytes. */
  length = 0;
  /** Opcodes after 0F are 0x0f00 and above; others are as in the maps, or {@linkcode OTHER}. */
  opcode = 0;
  /** Whether there is an operand-size prefix. */
  narrow = false;
  /** Whether a REX prefix makes operands 64 bits wide. */
  isWide = false;
  /** From the ModRM byte: 3 means that the operand is the register `rm`, otherwise it is memory. */
  mod = 0;
  reg = 0;
  rm = 0;
  /** The memory operand's address is `base + displacement`. */
  base = NO_BASE;
  hasIndex = false;
  /** The register that is added to the base, times {@linkcode scale}, where there is one. */
  index = 0;
  scale = 1;
  displacement = 0;
  /** Signed; the lower half of 64-bit ones. In `enter`, the size of the frame. */
  immediate = 0;
  /** Register in the opcode's three lowest bits. */
  opcodeRegister = 0;

  /** @param wide whether the code is 64-bit code */
  constructor(wide: boolean) {
    this.#wide = wide;
  }

  /** Decodes the instruction at an offset.
   *
   * @returns false when there is none, or it goes on after the end of the bytes
   */
  decode(code: Uint8Array, start: number): boolean {
    const wide = this.#wide;
    const end = Math.min(code.length, start + MAX_LENGTH);
    let at = start;
    let rex = 0;
    let shortAddress = false;
    let ownSegment = false;
    this.narrow = false;
    this.mod =
      this.reg =
      this.rm =
      this.displacement =
      this.immediate =
        0;
    this.base = NO_BASE;
    this.hasIndex = false;

    let opcode = 0;
    for (;; at++) {
      if (at >= end) return false;
      opcode = code[at];
      if (wide && (opcode & 0xf0) === 0x40) {
        rex = opcode;
        continue;
      }
      if (opcode === 0x66) this.narrow = true;
      else if (opcode === 0x67) shortAddress = true;
      else if (opcode === 0x64 || opcode === 0x65) ownSegment = true;
      else if (
        opcode !== 0xf0 && opcode !== 0xf2 && opcode !== 0xf3 && opcode !== 0x2e &&
        opcode !== 0x36 && opcode !== 0x3e && opcode !== 0x26
      ) break;
      // A REX prefix is valid only directly before the opcode.
      rex = 0;
    }
    at++;
    this.isWide = (rex & 8) !== 0;

    let format: string;
    // In 32-bit code these three are vector prefixes only where the old instruction had no memory
    // operand.
    const isVector = (opcode === 0xc4 || opcode === 0xc5 || opcode === 0x62) &&
      (wide || at < end && code[at] >= 0xc0);
    if (isVector) {
      const prefixSize = opcode === 0xc5 ? 1 : opcode === 0xc4 ? 2 : 3;
      if (at + prefixSize >= end) return false;
      const map = opcode === 0xc5 ? 1 : code[at] & (opcode === 0xc4 ? 0x1f : 0x07);
      at += prefixSize;
      opcode = code[at++];
      if (map === 1) format = twoByteMap[opcode];
      else if (map === 3) format = "B";
      else if (map === 2 || opcode !== 0 && (map === 5 || map === 6)) format = "m";
      else return false;
      opcode = OTHER;
    } else if (opcode === 0x0f) {
      if (at >= end) return false;
      opcode = code[at++];
      if (opcode === 0x38 || opcode === 0x3a) {
        format = opcode === 0x38 ? "m" : "B";
        if (at++ >= end) return false;
        opcode = OTHER;
      } else {
        format = twoByteMap[opcode];
        opcode |= 0x0f00;
      }
    } else {
      format = oneByteMap[opcode];
    }
    this.opcode = opcode;
    this.opcodeRegister = (opcode & 7) | (rex & 1) << 3;

    switch (format) {
      case "m":
      case "B":
      case "Z":
      case "g":
      case "G":
      case "n":
      case "x": {
        if (wide && (format === "n" || format === "x") || at >= end) return false;
        const modrm = code[at++];
        this.mod = modrm >> 6;
        this.reg = (modrm >> 3 & 7) | (rex & 4) << 1;
        if (this.mod === 3) {
          this.rm = (modrm & 7) | (rex & 1) << 3;
          break;
        }
        const operandSize = shortAddress && !wide
          ? this.#shortMemoryOperand(code, at, modrm)
          : this.#memoryOperand(code, at, modrm, rex);
        if (operandSize < 0) return false;
        at += operandSize;
        if (ownSegment) this.base = NO_BASE;
        break;
      }
      case "?":
      case "y":
      case "f":
        if (wide) return false;
        break;
      case "!":
      case "p":
        return false;
    }

    let size = 0;
    const operand = this.narrow ? 2 : 4;
    switch (format) {
      case "b":
      case "B":
      case "x":
      case "y":
        size = 1;
        break;
      case "w":
        size = 2;
        break;
      case "z":
      case "Z":
        size = this.isWide ? 4 : operand;
        break;
      case "j":
        size = wide ? 4 : operand;
        break;
      case "v":
        size = this.isWide ? 8 : operand;
        break;
      case "o":
        size = wide ? (shortAddress ? 4 : 8) : (shortAddress ? 2 : 4);
        break;
      case "e":
        size = 3;
        break;
      case "f":
        size = operand + 2;
        break;
      case "g":
        if ((this.reg & 6) === 0) size = 1;
        break;
      case "G":
        if ((this.reg & 6) === 0) size = this.isWide ? 4 : operand;
        break;
    }
    if (at + size > end) return false;
    if (size === 1) this.immediate = code[at] << 24 >> 24;
    else if (size === 2 || size === 3) this.immediate = code[at] | code[at + 1] << 8;
    else if (size >= 4) this.immediate = i32(code, at);
    if (size === 2 && format !== "w") this.immediate = this.immediate << 16 >> 16;
    this.length = at + size - start;
    return true;
  }

  /** Decodes the operand after a ModRM byte.
   *
   * @returns its size, or -1 when it is not all there
   */
  #memoryOperand(code: Uint8Array, start: number, modrm: number, rex: number): number {
    let at = start;
    let base = modrm & 7;
    if (base === 4) {
      if (at >= code.length) return -1;
      const sib = code[at++];
      base = sib & 7;
      this.index = (sib >> 3 & 7) | (rex & 2) << 2;
      this.scale = 1 << (sib >> 6);
      this.hasIndex = this.index !== 4;
    }
    const isAbsolute = this.mod === 0 && base === 5;
    this.base = isAbsolute ? NO_BASE : base | (rex & 1) << 3;
    const size = this.mod === 1 ? 1 : this.mod === 2 || isAbsolute ? 4 : 0;
    if (at + size > code.length) return -1;
    if (size === 1) this.displacement = code[at] << 24 >> 24;
    else if (size === 4) this.displacement = i32(code, at);
    return at + size - start;
  }

  /** The same for 16-bit addresses, whose base is never the stack pointer. */
  #shortMemoryOperand(code: Uint8Array, start: number, modrm: number): number {
    const size = this.mod === 1 ? 1 : this.mod === 2 || (modrm & 7) === 6 ? 2 : 0;
    return start + size > code.length ? -1 : size;
  }
}

function i32(code: Uint8Array, at: number): number {
  return code[at] | code[at + 1] << 8 | code[at + 2] << 16 | code[at + 3] << 24;
}

/** Whether the decoded instruction is a conditional jump; `loop` and `jrcxz` are. */
export function isConditionalJump({ opcode }: X86Decoder): boolean {
  return opcode >= 0x70 && opcode <= 0x7f || opcode >= 0xe0 && opcode <= 0xe3 ||
    opcode >= 0x0f80 && opcode <= 0x0f8f;
}

/** Whether the decoded instruction jumps to a fixed place. */
export function isDirectJump({ opcode }: X86Decoder): boolean {
  return opcode === 0xeb || opcode === 0xe9;
}

/** Whether no instruction follows: `ret` of all kinds, far jumps, `ud2` and `hlt`. */
export function isEnd({ opcode }: X86Decoder): boolean {
  return opcode === 0xc3 || opcode === 0xc2 || opcode === 0xcb || opcode === 0xca ||
    opcode === 0xcf || opcode === 0xea || opcode === 0x0f0b || opcode === 0xf4;
}

/** Whether the decoded instruction is a call, near or far, direct or indirect. */
export function isCall({ opcode, reg }: X86Decoder): boolean {
  return opcode === 0xe8 || opcode === 0x9a || opcode === 0xff && (reg === 2 || reg === 3);
}
