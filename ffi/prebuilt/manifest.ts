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
  "darwin": {"file":"libmachpause.dylib","size":122592,"sha256":"e2f1f58e186a2d2d6b71a844595babb0953c1cac2378dd6d5ac5b7b60f8f73bf","sourcesHash":"9f44ded7b22a1fe3966f2a400b537cae369d41f8e65c63c04f82d4de89426e0c","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"ef253cb62fc965f50a89e8daa7d828cbeee16003bc9a05657b02a90c77d3007f","tools":"Debian clang version 19.1.7 (3~deb12u1); Debian LLD 19.1.7; Debian LLVM version 19.1.7"},
  "demo": {"file":"demo.bundle","size":250644,"sha256":"c3323b83f352098cf3b01f646a99e2754d1d85f8a680260d6735d7494e6bd088","sourcesHash":"307a656733d02b03a091c67dcd6d12163666298b15f5a42251d05e12646101de","tools":"Debian LLVM version 19.1.7"},
  "linux-x86_64": {"file":"libmachpause.so","size":63896,"sha256":"e4af21254e2406f34b502c0c9243e6239619cd448e9055981a5f3569da33d52f","sourcesHash":"f98c546121d22934a3275e8d76af2152719e424df76d853b163e136dba0b03d6","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "linux-aarch64": {"file":"libmachpause.so","size":67856,"sha256":"b65a1fe067394f4010b05c4960a9068c36a6986c3756c670af3582a3c77a7326","sourcesHash":"a4da7283d01d4625db022c40a8e81badb77942a3caa5a96d50b1469aadc5b6ba","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-x86_64": {"file":"macho-loader","size":59696,"sha256":"70e90eb9dee8cfb8dc5571541a9a616952c79d5f7324186dd1da7fa60f6aec3c","sourcesHash":"a0f1703a4c6cf3fea3546195a3f0afd371fa1ed4e6eaabccb03d78611e9a0352","tools":"x86_64-linux-gnu-gcc (Debian 12.2.0-14+deb12u1) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-i386": {"file":"macho-loader","size":42776,"sha256":"fdfe2f9c778d9966d04b73879fa71ad41f11eff74e4b6b1cd740bc333a610309","sourcesHash":"376cf59e99ad1c07850d7c44296b4e1c36718a70f3c021364c81432efcb34d76","tools":"i686-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-arm64": {"file":"macho-loader","size":78376,"sha256":"a12867464449072da0167407da59b94e9db3ca800face8033429d822235b316a","sourcesHash":"6efd05a2fdd7e6e24d381fc09de4677b7f8d0124992d2238c29dbcaaaec4306a","tools":"aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0; GNU ld (GNU Binutils for Debian) 2.40"},
  "loader-armv7": {"file":"macho-loader","size":31780,"sha256":"89086d3e411bd8fbb77c94bf487efd254efe32a73e1292990f84be7c384ad544","sourcesHash":"12f2836b17aa96cf0e711ec5edce25b469f59d28a3b9d996d5c7581ad93ece9a","tools":"Debian clang version 19.1.7 (3~deb12u1); GNU ld (GNU Binutils for Debian) 2.40"},
};
