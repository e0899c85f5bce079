/** Call-frame sections, made by hand for tests. */
import { CallFrameInfo, type CallFrameOptions } from "../../../lib/dwarf/mod.ts";

/** A little-endian number. */
export function number(value: number | bigint, size: number): number[] {
  const bits = BigInt.asUintN(size * 8, BigInt(value));
  return Array.from({ length: size }, (_, index) => Number((bits >> BigInt(8 * index)) & 0xffn));
}

export function uleb(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push(0x80 | (value & 0x7f));
  return [...bytes, value];
}

export function sleb(value: number): number[] {
  const bytes: number[] = [];
  for (; value < -64 || value > 63; value >>= 7) bytes.push(0x80 | (value & 0x7f));
  return [...bytes, value & 0x7f];
}

export function text(value: string): number[] {
  return [...new TextEncoder().encode(value), 0];
}

/** What a CIE has before its instructions, and those: x86_64's on entry. */
export interface CieParts {
  readonly version?: number;
  readonly augmentation?: string;
  /** Between the augmentation and the code alignment: DWARF 4's sizes, or GCC 2's pointer. */
  readonly after?: readonly number[];
  readonly codeAlignment?: number;
  readonly dataAlignment?: number;
  readonly returnAddress?: number;
  /** With its length. */
  readonly data?: readonly number[];
  readonly program?: readonly number[];
}

/** `DW_CFA_def_cfa: RSP +8`, `DW_CFA_offset: RIP -8`. */
export const onEntry: readonly number[] = [0x0c, 7, 8, 0x90, 1];

export function cieBody(parts: CieParts = {}): number[] {
  return [
    parts.version ?? 1,
    ...text(parts.augmentation ?? "zR"),
    ...parts.after ?? [],
    ...uleb(parts.codeAlignment ?? 1),
    ...sleb(parts.dataAlignment ?? -8),
    parts.returnAddress ?? 16,
    ...parts.data ?? [1, 0x1b],
    ...parts.program ?? onEntry,
  ];
}

/** Builds a section entry by entry. */
export class SectionBuilder {
  readonly bytes: number[] = [];

  constructor(readonly kind: "eh_frame" | "debug_frame" = "eh_frame", readonly wide = false) {}

  #entry(id: (idPosition: number) => number | bigint, body: readonly number[]): number {
    const start = this.bytes.length;
    const idSize = this.wide && this.kind === "debug_frame" ? 8 : 4;
    const length = idSize + body.length;
    if (this.wide) this.bytes.push(...number(0xffff_ffff, 4), ...number(length, 8));
    else this.bytes.push(...number(length, 4));
    this.bytes.push(...number(id(this.bytes.length), idSize), ...body);
    return start;
  }

  /** @returns its offset */
  cie(body: readonly number[] = cieBody()): number {
    return this.#entry(() => this.kind === "eh_frame" ? 0 : -1, body);
  }

  /** @returns its offset */
  fde(cie: number, body: readonly number[]): number {
    return this.#entry((position) => this.kind === "eh_frame" ? position - cie : cie, body);
  }

  /** Where the body of the next entry begins. */
  get nextBody(): number {
    const length = this.wide ? 12 : 4;
    return this.bytes.length + length + (this.wide && this.kind === "debug_frame" ? 8 : 4);
  }

  /** Adds an FDE whose CIE has pc-relative addresses of four bytes. */
  function(
    cie: number,
    start: number,
    length: number,
    program: readonly number[] = [],
  ): number {
    return this.fde(cie, [
      ...number(start - this.nextBody, 4),
      ...number(length, 4),
      0,
      ...program,
    ]);
  }

  parse(options: Partial<CallFrameOptions> = {}): { info: CallFrameInfo; warnings: string[] } {
    return parse(Uint8Array.from(this.bytes), { kind: this.kind, ...options });
  }
}

/** Where test sections are. */
export const base = 0x1_0000_0000n;

export function parse(
  bytes: Uint8Array,
  options: Partial<CallFrameOptions> = {},
): { info: CallFrameInfo; warnings: string[] } {
  const warnings: string[] = [];
  const info = CallFrameInfo.parse(bytes, {
    address: base,
    pointerSize: 8,
    kind: "eh_frame",
    warn: (text) => warnings.push(text),
    ...options,
  });
  return { info, warnings };
}
