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
  "darwin": {"file":"libmachpause.dylib","size":122880,"sha256":"0e7daca06f1b486ff1414d76f0a0180e4e08da81173fa94477d98551f2e3dc59","sourcesHash":"c0ee63271097b81b01596c8100b91140201e3967a03c34673b2360fa16733c17","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"1cc0698907f7e78886a5b7a7796bc6436ea28bc39a60eafebabeb122fe0896ce","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "demo": {"file":"demo.bundle","size":379479,"sha256":"25992dd297e51adba5eeb4852d201417d4fb6bb14d6ba08019b865d5717814a8","sourcesHash":"2f2157870f6c25f2e4f3a6a6354ee85a031bbeabb5251aaef54bf79325764ad4","tools":"Debian LLVM version 19.1.7"},
  "linux-x86_64": {"file":"libmachpause.so","size":76392,"sha256":"030d6971f8991c60384252a1e39b373c7ee49f1e18483b2b46c22e88c7fe7a1d","sourcesHash":"ad3b6ecb27bf824e20a99146c9962c6c301fd93f67123328b2366d6c1ef98531","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "linux-aarch64": {"file":"libmachpause.so","size":133600,"sha256":"e10b746ac7aebed7003243ba7e64ea6cba7f17fbb419141569bad3d868a7aad4","sourcesHash":"64b605a6f2c34ee2bf94140717acac59bf15474212d188a825f8b4579cc83372","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-x86_64": {"file":"macho-loader","size":59696,"sha256":"70e90eb9dee8cfb8dc5571541a9a616952c79d5f7324186dd1da7fa60f6aec3c","sourcesHash":"a0f1703a4c6cf3fea3546195a3f0afd371fa1ed4e6eaabccb03d78611e9a0352","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-i386": {"file":"macho-loader","size":42776,"sha256":"fdfe2f9c778d9966d04b73879fa71ad41f11eff74e4b6b1cd740bc333a610309","sourcesHash":"376cf59e99ad1c07850d7c44296b4e1c36718a70f3c021364c81432efcb34d76","tools":"i686-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-arm64": {"file":"macho-loader","size":78376,"sha256":"a12867464449072da0167407da59b94e9db3ca800face8033429d822235b316a","sourcesHash":"6efd05a2fdd7e6e24d381fc09de4677b7f8d0124992d2238c29dbcaaaec4306a","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-armv7": {"file":"macho-loader","size":31780,"sha256":"89086d3e411bd8fbb77c94bf487efd254efe32a73e1292990f84be7c384ad544","sourcesHash":"12f2836b17aa96cf0e711ec5edce25b469f59d28a3b9d996d5c7581ad93ece9a","tools":"Debian clang version 19.1.7 (3~deb12u1); GNU ld (GNU Binutils for Debian) 2.40"},
};
