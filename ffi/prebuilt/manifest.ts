// Written by tools/build.ts.

/** A file that `ffi/prebuilt/<key>.ts` holds. */
export interface Prebuilt {
  /** Its name. */
  readonly file: string;
  /** Bytes, uncompressed. */
  readonly size: number;
  /** Of the uncompressed file, in hexadecimal. */
  readonly sha256: string;
  /** SHA-256 over its sources' names and contents, in hexadecimal. */
  readonly sourcesHash: string;
  /** The versions of what built it. The same sources give the same bytes only with the same ones. */
  readonly tools: string;
}

/** The files, by key: the system and the architecture. */
export const libraries: Readonly<Record<string, Prebuilt>> = {
  "darwin": {"file":"libmachpause.dylib","size":122880,"sha256":"7e1d7ba5f3f4d51d315108c209ca51e8edc75787bd040a12ada79d273fbd8759","sourcesHash":"97ea25567b94cb52854592c8f42815bb536eafc8c0bd831c2481ed1da0292973","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"ce30b5d2fdad9a7fe4f1c4919b20b53acfd56c6a4a88f06ee0eac5d42091f872","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "demo": {"file":"demo.bundle","size":379479,"sha256":"25992dd297e51adba5eeb4852d201417d4fb6bb14d6ba08019b865d5717814a8","sourcesHash":"2f2157870f6c25f2e4f3a6a6354ee85a031bbeabb5251aaef54bf79325764ad4","tools":"Debian LLVM version 19.1.7"},
  "linux-x86_64": {"file":"libmachpause.so","size":76392,"sha256":"40b1b61cf182802ce40f2a47733b6dcc4bf886a04a4516fa32c6f6b2e8858c78","sourcesHash":"0594b0b1330a003384958445f135b396cd1cda8d1d2f0194c541469045498b2e","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "linux-aarch64": {"file":"libmachpause.so","size":133600,"sha256":"8a0fabc49169bfb6986e3d63afde3c93d1572c5071c6592db4de09c61e5406ce","sourcesHash":"2658429a3391ed6ebf24df0f4360fd47abe2a47494224b40d5473853009fee04","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-x86_64": {"file":"macho-loader","size":59696,"sha256":"70e90eb9dee8cfb8dc5571541a9a616952c79d5f7324186dd1da7fa60f6aec3c","sourcesHash":"a0f1703a4c6cf3fea3546195a3f0afd371fa1ed4e6eaabccb03d78611e9a0352","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-i386": {"file":"macho-loader","size":42776,"sha256":"fdfe2f9c778d9966d04b73879fa71ad41f11eff74e4b6b1cd740bc333a610309","sourcesHash":"376cf59e99ad1c07850d7c44296b4e1c36718a70f3c021364c81432efcb34d76","tools":"i686-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-arm64": {"file":"macho-loader","size":78376,"sha256":"a12867464449072da0167407da59b94e9db3ca800face8033429d822235b316a","sourcesHash":"6efd05a2fdd7e6e24d381fc09de4677b7f8d0124992d2238c29dbcaaaec4306a","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-armv7": {"file":"macho-loader","size":31780,"sha256":"89086d3e411bd8fbb77c94bf487efd254efe32a73e1292990f84be7c384ad544","sourcesHash":"12f2836b17aa96cf0e711ec5edce25b469f59d28a3b9d996d5c7581ad93ece9a","tools":"Debian clang version 19.1.7 (3~deb12u1); GNU ld (GNU Binutils for Debian) 2.40"},
};
