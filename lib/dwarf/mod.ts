/** DWARF: call-frame information, and units with their functions and lines. */
export type { Widths } from "./abbreviations.ts";
export {
  type AddressedRow,
  CallFrameInfo,
  type CallFrameOptions,
  type FrameDescription,
} from "./cfi.ts";
export { evaluateExpression, type ExpressionContext } from "./expression.ts";
export { openFrameTable } from "./frame_table.ts";
export { DwarfInfo, type DwarfOptions, type SplitUnit } from "./info.ts";
export type { CfaRule, RegisterRule, UnwindRow } from "./row.ts";
export {
  type DwarfSection,
  type DwarfSectionPlace,
  DwarfSections,
  type DwarfSource,
  inflateSection,
} from "./sections.ts";
export { sweepRanges } from "./sweep.ts";
export type { DwarfUnit, UnitPart } from "./unit_header.ts";
export type { SourceFrame, SourceLocation } from "./source_frame.ts";
export { UnitLookup } from "./unit_lookup.ts";
export type { UnitTable } from "./unit_table.ts";
export { loadInflate } from "./zlib.ts";
export type { TextBytes } from "./string_reader.ts";
