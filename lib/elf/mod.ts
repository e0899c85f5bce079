/** ELF files, which a target on Linux has beside its Mach-O images.
 *
 * @module
 */
export {
  archOfMachine,
  checksumOf,
  debugIdOfFile,
  debugIdOfImage,
  debugLinkName,
  debugPaths,
  dwarfPlaces,
  hasCode,
  hasDebugInfo,
  hasNames,
  hasSplitInfo,
  isSupplementary,
  miniDebugFile,
  splitPlaces,
  supplementaryLink,
} from "./debug_files.ts";
export { type ElfFile, isElf, isProgram, readElf, type ThreadTemplate } from "./elf_file.ts";
export { ElfImage, linkedAddress } from "./elf_image.ts";
