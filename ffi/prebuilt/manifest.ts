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
}

/** The files, by key: the system and the architecture. */
export const libraries: Readonly<Record<string, Prebuilt>> = {
  "darwin": {"file":"libmachpause.dylib","size":122112,"sha256":"0b17720459b3f600cee0f3c2bfd25adff7c28a9d90cdc1adc6075d30e0fd85ef","sourcesHash":"dfc96971e3a3ec6d8c9c7d70b8c7ff898db0fc61894295c878802f80738c82d8"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"febf2c4a3839a598d1d73bbcb8d5fa130f84395dbf583b2fdd9c92eb8b1e589e"},
  "demo": {"file":"demo.bundle","size":247639,"sha256":"1ec30a403e7335f052df466b365b930dde230e1e594d59a414eb5926f402a2f6","sourcesHash":"698dfe2d9cd2770a4f9c0874055ebee211ddad55790df479292f55b3bb5d3da8"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"ff57c819371c37bea9ba25bf918c9b3ef59736f9092e57ab7726d644ee6537a5","sourcesHash":"22fa8ce3ef42f5f4a8020b4abb9eeede00bb0a0bc64dd6b540ed6ed9462f7aa5"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"337f4d81959298475077d2dbf3930557ba87b9a0ba5621f48d8d8fd9ba2b6afb","sourcesHash":"22fa8ce3ef42f5f4a8020b4abb9eeede00bb0a0bc64dd6b540ed6ed9462f7aa5"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"5bcb514c0223207bbf3a2368656cc3e406c839609b206a8cb6bc2b39d3a686a9","sourcesHash":"351d57c99158d18cbcd21f7eefd46ceee69b8a46651ad6776fda701421784f69"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"332f2396b9bc3e3d61534fac92a23f52b1019f3f988e0ba0fb34a0b2ac6b8288","sourcesHash":"351d57c99158d18cbcd21f7eefd46ceee69b8a46651ad6776fda701421784f69"},
};
