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
  "darwin": {"file":"libmachpause.dylib","size":122864,"sha256":"c74a5609fce64fe180fcccd82b33b66c886e24ab9941addbcf9c21a28e46724d","sourcesHash":"6816a84085381115e9e6ead394a13ea9409bef27389163028a28ac2d669e9764","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"06fcec2ec1c1b6b8bba1dc5633342c1b4a614cdf857e9888e97a32e95429d3ff","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "demo": {"file":"demo.bundle","size":379479,"sha256":"25992dd297e51adba5eeb4852d201417d4fb6bb14d6ba08019b865d5717814a8","sourcesHash":"2f2157870f6c25f2e4f3a6a6354ee85a031bbeabb5251aaef54bf79325764ad4","tools":"Debian LLVM version 19.1.7"},
  "linux-x86_64": {"file":"libmachpause.so","size":72144,"sha256":"9231fb57b7872a4162089f7dc4f913e88f524b90dc6fbe45ac1e34f2de311694","sourcesHash":"18293ff820006aa7c925af246b2ea386d8a2f0917ae2b74ac9c57df6d777dddb","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "linux-aarch64": {"file":"libmachpause.so","size":133448,"sha256":"a3787a1dee867d62ad05ee388868f60fea945e873f3751e805ebecdc7c857fbc","sourcesHash":"8ac58464a8509890b3410c7c8d6e9ba5497d232b385aef3e098f9c6266a1d58f","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-x86_64": {"file":"macho-loader","size":59696,"sha256":"70e90eb9dee8cfb8dc5571541a9a616952c79d5f7324186dd1da7fa60f6aec3c","sourcesHash":"a0f1703a4c6cf3fea3546195a3f0afd371fa1ed4e6eaabccb03d78611e9a0352","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-i386": {"file":"macho-loader","size":42776,"sha256":"fdfe2f9c778d9966d04b73879fa71ad41f11eff74e4b6b1cd740bc333a610309","sourcesHash":"376cf59e99ad1c07850d7c44296b4e1c36718a70f3c021364c81432efcb34d76","tools":"i686-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-arm64": {"file":"macho-loader","size":78376,"sha256":"a12867464449072da0167407da59b94e9db3ca800face8033429d822235b316a","sourcesHash":"6efd05a2fdd7e6e24d381fc09de4677b7f8d0124992d2238c29dbcaaaec4306a","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-armv7": {"file":"macho-loader","size":31780,"sha256":"89086d3e411bd8fbb77c94bf487efd254efe32a73e1292990f84be7c384ad544","sourcesHash":"12f2836b17aa96cf0e711ec5edce25b469f59d28a3b9d996d5c7581ad93ece9a","tools":"Debian clang version 19.1.7 (3~deb12u1); GNU ld (GNU Binutils for Debian) 2.40"},
};
