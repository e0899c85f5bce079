/** An arm64e slice of an arm64 dylib.
 *
 * dyld inserts this slice into arm64e programs, and also into arm64 ones: the keys are off in those, and dyld
 * then takes arm64e before arm64 (dyld's `GradedArchitectures.cpp`, `archs_arm64e_keysOff`; `MachOFile.cpp`,
 * `GradedArchs::arm64e_keysoff`, until macOS 13). In an arm64e program it takes nothing else.
 *
 * LLVM 19's linker does not write arm64e images that dyld takes: it has no chained fixups for them
 * ("-fixup_chains is only supported on x86_64 and arm64 targets"), and dyld knows nothing else for
 * arm64e (`MachOFile::hasChainedFixups()`). But code that was compiled for arm64 runs as arm64e, as
 * long as it neither signs pointers nor is given signed ones. Of an image's header and fixups
 * only three things differ: the CPU subtype, the format of pointers, and the pointers in it. An
 * import's pointer becomes one without a signature, which plain code may branch to. Initializers
 * must be offsets (`-init_offsets`): dyld signs those itself before it calls them
 * (`Loader::findAndRunAllInitializers()`).
 *
 * The result has the same header, layout and formats as Apple's linker makes for macOS 11 (dyld's `Policy.cpp`,
 * `chainedFixupsFormat()`), as in samply's library, which runs on Macs. Formats: `<mach-o/fixup-chains.h>`. */

const LC_SEGMENT_64 = 0x19;
const LC_DYLD_CHAINED_FIXUPS = 0x80000034;
const CPU_TYPE_ARM64 = 0x0100000c;
const CPU_SUBTYPE_ARM64E = 2;
/** `CPU_SUBTYPE_PTRAUTH_ABI`: the other bits of the high byte are an ABI version, 0 in user space. */
const CPU_SUBTYPE_PTRAUTH_ABI = 0x80000000;
const DYLD_CHAINED_PTR_64 = 2;
const DYLD_CHAINED_PTR_ARM64E = 1;
const DYLD_CHAINED_PTR_START_NONE = 0xffff;
const S_MOD_INIT_FUNC_POINTERS = 9;

/** Makes one of an arm64 dylib that was linked with `-fixup_chains` and `-init_offsets`, and has no
 * pointers but imports. Its signature no longer fits.
 *
 * @throws Error where it has something else
 */
export function toArm64e(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(file);
  const view = new DataView(bytes.buffer);
  if (view.getUint32(4, true) !== CPU_TYPE_ARM64) throw new Error("not an arm64 file");
  view.setUint32(8, (CPU_SUBTYPE_ARM64E | CPU_SUBTYPE_PTRAUTH_ABI) >>> 0, true);
  const segments: bigint[] = [];
  let fixups = 0;
  for (let at = 32, left = view.getUint32(16, true); left > 0; left--) {
    const kind = view.getUint32(at, true);
    if (kind === LC_DYLD_CHAINED_FIXUPS) fixups = view.getUint32(at + 8, true);
    if (kind === LC_SEGMENT_64) {
      segments.push(view.getBigUint64(at + 40, true));
      for (let section = 0; section < view.getUint32(at + 64, true); section++) {
        const flags = view.getUint32(at + 72 + 80 * section + 64, true);
        if ((flags & 0xff) === S_MOD_INIT_FUNC_POINTERS) throw new Error("initialisers by pointer");
      }
    }
    at += view.getUint32(at + 4, true);
  }
  if (fixups === 0) throw new Error("no chained fixups");

  // dyld_chained_starts_in_image: a count, then the offset of each segment's starts.
  const image = fixups + view.getUint32(fixups + 4, true);
  for (let segment = 0; segment < view.getUint32(image, true); segment++) {
    const offset = view.getUint32(image + 4 + 4 * segment, true);
    if (offset === 0) continue;
    const starts = image + offset;
    if (view.getUint16(starts + 6, true) !== DYLD_CHAINED_PTR_64) {
      throw new Error(`pointer format ${view.getUint16(starts + 6, true)}`);
    }
    view.setUint16(starts + 6, DYLD_CHAINED_PTR_ARM64E, true);
    const pageSize = view.getUint16(starts + 4, true);
    for (let page = 0; page < view.getUint16(starts + 20, true); page++) {
      const start = view.getUint16(starts + 22 + 2 * page, true);
      if (start === DYLD_CHAINED_PTR_START_NONE) continue;
      convertChain(view, Number(segments[segment]) + page * pageSize + start);
    }
  }
  return bytes;
}

/** From `dyld_chained_ptr_64_bind` to `dyld_chained_ptr_arm64e_bind`. */
function convertChain(view: DataView, first: number): void {
  for (let at = first;;) {
    const pointer = view.getBigUint64(at, true);
    const ordinal = pointer & 0xff_ffffn;
    const addend = (pointer >> 24n) & 0xffn;
    const next = (pointer >> 51n) & 0xfffn; // in steps of 4 bytes
    if (ordinal > 0xffffn) throw new Error("too many imports");
    if (pointer >> 63n !== 1n) throw new Error(`a pointer at 0x${at.toString(16)} is no import`);
    if (next % 2n !== 0n) throw new Error(`the pointer after 0x${at.toString(16)} is not aligned`);
    const steps = next / 2n; // of 8 bytes
    view.setBigUint64(at, ordinal | addend << 32n | steps << 51n | 1n << 62n, true);
    if (next === 0n) return;
    at += Number(next) * 4;
  }
}
