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
  "darwin": {"file":"libmachpause.dylib","size":122256,"sha256":"3894ad7d91e9cfbfa11f146cee1dd4c35affb743aa17ea45cac994f7ff6af044","sourcesHash":"b83ebd6508815fbd5fc176d919b9d320490f977ae1944ddcd4a5beb45449f3d3"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"40837247290fffbe750de843e24f21bab9138c396be3c79fd702c9b6093bdca5"},
  "demo": {"file":"demo.bundle","size":247639,"sha256":"1ec30a403e7335f052df466b365b930dde230e1e594d59a414eb5926f402a2f6","sourcesHash":"698dfe2d9cd2770a4f9c0874055ebee211ddad55790df479292f55b3bb5d3da8"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"35e3dcbbc38e470ead01776be4b668acac8fddff5ef8fae47987bb9fc32ada43","sourcesHash":"0c00bf53cc8013a7ed269967278e426f6e1a5045bab020fb881cc1c961b3a349"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"cf5a7146f0f5a3a7f5f69c6359bf257a73d07f8e3c46619e8da3d4d178f3e3f3","sourcesHash":"0c00bf53cc8013a7ed269967278e426f6e1a5045bab020fb881cc1c961b3a349"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"0a3c8991e05ebc9d8c81c7432b4d96500c08ee679ab47bead469daaffeb42666","sourcesHash":"07153c2eb7f94bdc2ea14343f8505b98fc7f6b448ab630c5ab8b702f55070bed"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"45b8a6d64c104eae72a615bd14a967c7f485979a6598e320fc331ff5671c7c71","sourcesHash":"07153c2eb7f94bdc2ea14343f8505b98fc7f6b448ab630c5ab8b702f55070bed"},
};
