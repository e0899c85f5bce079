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
  "darwin": {"file":"libmachpause.dylib","size":122464,"sha256":"45de282c14649998f562c1f4285d035f006d466c37d77a2f8d732ef8ddc3994b","sourcesHash":"75b543ca04c9a8920505837d557033b3ab5660ca732d2e49a4ae64c3dc6e1406"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"034a380a01bbb6f68598ead39f792429cc06651f5b439e941377570f892d5fa2"},
  "demo": {"file":"demo.bundle","size":247639,"sha256":"1ec30a403e7335f052df466b365b930dde230e1e594d59a414eb5926f402a2f6","sourcesHash":"698dfe2d9cd2770a4f9c0874055ebee211ddad55790df479292f55b3bb5d3da8"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"be50ac98b5ad96f106f380b30b0ebb6f444a0791aec5f9ba1972b330efb24bb5","sourcesHash":"d31169d0b2fa8a545049ed634fe914933302c1cf86b9fabba1a0a6e750ce4fa8"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"9ba6a0d88205edcd0196335e7be8ac796e11136bfc547410d21b75d4f0a5eb70","sourcesHash":"d31169d0b2fa8a545049ed634fe914933302c1cf86b9fabba1a0a6e750ce4fa8"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"0a3c8991e05ebc9d8c81c7432b4d96500c08ee679ab47bead469daaffeb42666","sourcesHash":"07153c2eb7f94bdc2ea14343f8505b98fc7f6b448ab630c5ab8b702f55070bed"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"45b8a6d64c104eae72a615bd14a967c7f485979a6598e320fc331ff5671c7c71","sourcesHash":"07153c2eb7f94bdc2ea14343f8505b98fc7f6b448ab630c5ab8b702f55070bed"},
};
