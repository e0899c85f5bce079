/** What needs no process: the names that both the main module and the portable package export.
 *
 * @module
 */
export {
  type Arch,
  type ArchName,
  type Register,
  Registers,
  type RegisterValue,
} from "./arch/mod.ts";
export {
  AttachError,
  FileError,
  FormatError,
  MachError,
  MemoryReadError,
  type RefusalReason,
  TargetGoneError,
} from "./errors.ts";
export { escape as escapeText, type RawText, type SafeText } from "./escape.ts";
export { enableLog, type LogSink, type LogSubsystem } from "./log.ts";
export type {
  AddressRange,
  ImageSymbol,
  LoadedImage,
  MachOFile,
  MachOFileOptions,
  SymbolMatch,
} from "./macho/mod.ts";
export type { Stackshot } from "./stackshot/mod.ts";
export {
  type AddressInfo,
  type DebugSection,
  demangle,
  type DemangleStyle,
  type DlInfo,
  FileSymbolizer,
  type FoundSymbol,
  type ImageFile,
  loadDemangler,
  type MissingSymbols,
  type SourceFrame,
  type SourceLocation,
  type SymbolOptions,
} from "./symbols/mod.ts";
export {
  Backtrace,
  type CoreStyle,
  CoreTarget,
  type Crash,
  type DispatchQueue,
  type FollowedLocals,
  type FollowOptions,
  Frame,
  LiveTarget,
  Memory,
  Pause,
  type QosClass,
  type RecordOptions,
  type Region,
  type RunState,
  type Sample,
  type SampledThread,
  type SampleOptions,
  type SaveCoreOptions,
  type SavedCore,
  SelfTarget,
  Snapshot,
  type SnapshotOptions,
  type StackNode,
  Target,
  Thread,
  ThreadException,
} from "./target/mod.ts";
export { defineFormatter } from "./target/variables.ts";
export type { Formatter, Type, Value, Variable } from "./values/mod.ts";
export type { FoundBy, StopReason, UnwindOptions } from "./unwind/mod.ts";
