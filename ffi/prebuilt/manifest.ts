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
  "darwin": {"file":"libmachpause.dylib","size":122880,"sha256":"e87f7e217d0028f95e3d0442015af5de8e6fd58a33f0bf62bb72035e746800ec","sourcesHash":"4cb077bdcd898a880757e9127ceeb17dadae9c7cf271dcee8d7c0167d8f7f77f","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"e58943560c79d60b9d7b9b674426c728ed4f1cd7defe6aa22ad42ed5bd40f3a4","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "demo": {"file":"demo.bundle","size":379479,"sha256":"25992dd297e51adba5eeb4852d201417d4fb6bb14d6ba08019b865d5717814a8","sourcesHash":"2f2157870f6c25f2e4f3a6a6354ee85a031bbeabb5251aaef54bf79325764ad4","tools":"Debian LLVM version 19.1.7"},
  "linux-x86_64": {"file":"libmachpause.so","size":76392,"sha256":"2a71fe6d069637fccefd9d05b45c76b5ebdf11612946fce7801baeabbc543eee","sourcesHash":"5061f3c883decccf387c2a38cacd0278d18a9682d1fb4e8b19d9361d6dfbde4c","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "linux-aarch64": {"file":"libmachpause.so","size":133600,"sha256":"8d496d157c87c33fc8d1d8ef1b3eb5dd48aff07ab4413dc63486f59862e12ddc","sourcesHash":"63a5f04524daf32c32f4e40235b50c923a48185e0030c8374fb3bc3fea088f48","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-x86_64": {"file":"macho-loader","size":59696,"sha256":"70e90eb9dee8cfb8dc5571541a9a616952c79d5f7324186dd1da7fa60f6aec3c","sourcesHash":"a0f1703a4c6cf3fea3546195a3f0afd371fa1ed4e6eaabccb03d78611e9a0352","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-i386": {"file":"macho-loader","size":42776,"sha256":"fdfe2f9c778d9966d04b73879fa71ad41f11eff74e4b6b1cd740bc333a610309","sourcesHash":"376cf59e99ad1c07850d7c44296b4e1c36718a70f3c021364c81432efcb34d76","tools":"i686-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-arm64": {"file":"macho-loader","size":78376,"sha256":"a12867464449072da0167407da59b94e9db3ca800face8033429d822235b316a","sourcesHash":"6efd05a2fdd7e6e24d381fc09de4677b7f8d0124992d2238c29dbcaaaec4306a","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-armv7": {"file":"macho-loader","size":31780,"sha256":"89086d3e411bd8fbb77c94bf487efd254efe32a73e1292990f84be7c384ad544","sourcesHash":"12f2836b17aa96cf0e711ec5edce25b469f59d28a3b9d996d5c7581ad93ece9a","tools":"Debian clang version 19.1.7 (3~deb12u1); GNU ld (GNU Binutils for Debian) 2.40"},
};
