/** DWARF: call-frame information. */
export {
  type AddressedRow,
  CallFrameInfo,
  type CallFrameOptions,
  type FrameDescription,
} from "./cfi.ts";
export { evaluateExpression, type ExpressionContext } from "./expression.ts";
export type { CfaRule, RegisterRule, UnwindRow } from "./row.ts";
