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
  "darwin": {"file":"libmachpause.dylib","size":122112,"sha256":"0b17720459b3f600cee0f3c2bfd25adff7c28a9d90cdc1adc6075d30e0fd85ef","sourcesHash":"bcc0384df17ebd3e6826440624ed783eecbfd199c2a489833f0d5d7bb78cc839"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"febf2c4a3839a598d1d73bbcb8d5fa130f84395dbf583b2fdd9c92eb8b1e589e"},
  "demo": {"file":"demo.bundle","size":247639,"sha256":"1ec30a403e7335f052df466b365b930dde230e1e594d59a414eb5926f402a2f6","sourcesHash":"698dfe2d9cd2770a4f9c0874055ebee211ddad55790df479292f55b3bb5d3da8"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"e323c4b1c52ea1f96991099a55e7695169504fa7f695ffaada8bc550443df464","sourcesHash":"437ee9e46b1411a37451db4f3ce092295ad20fac61d2a164246d9f1e0d889542"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"68d69a27989e39484f44220183ccdefcae5be054822a8b10162b48de2637f93b","sourcesHash":"437ee9e46b1411a37451db4f3ce092295ad20fac61d2a164246d9f1e0d889542"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"5bcb514c0223207bbf3a2368656cc3e406c839609b206a8cb6bc2b39d3a686a9","sourcesHash":"8f9cbe0e31d6fd04000f7aefb67680c22f1cb0310b56f8db0713e915f584d391"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"332f2396b9bc3e3d61534fac92a23f52b1019f3f988e0ba0fb34a0b2ac6b8288","sourcesHash":"8f9cbe0e31d6fd04000f7aefb67680c22f1cb0310b56f8db0713e915f584d391"},
};
