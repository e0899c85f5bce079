/** The part of this folder's face for core files: reading and writing them.
 *
 * @module
 */
export {
  CORE_FLAVOR,
  type CoreCommands,
  coreHeaderSize,
  type CoreLayout,
  type CoreNote,
  type CoreSegment,
  encodeCore,
  type FlavorState,
  parseCore,
} from "./core.ts";
export {
  type AddressableBits,
  encodeAddressableBits,
  encodeAllImageInfos,
  encodeKernelVersion,
  encodeLoadBinary,
  encodeMainBinary,
  encodeProcessMetadata,
  localColumns,
  type MainBinary,
  NOTE_OWNER,
  type NotedFile,
  type NotedImage,
  type NotedSymbol,
  type NotedThread,
  parseAddressableBits,
  parseAllImageInfos,
  parseKernelVersion,
  parseLoadBinary,
  parseMainBinary,
  parseProcessMetadata,
  type ProcessMetadata,
} from "./core_notes.ts";
