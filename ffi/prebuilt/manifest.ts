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
  "darwin": {"file":"libmachpause.dylib","size":122256,"sha256":"64af87237a1141df142423d272646a2b6f597cd61f96fa74a7d78468dbde7ce0","sourcesHash":"529cc4b6dd8065dbb87df0516e00ec06abb51ef563baf1e504c955d1df19c587"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"ee232686231e244d5cbf6170ce51099749b76eed8e7976b902d3beab9d2b0944"},
  "demo": {"file":"demo.bundle","size":247639,"sha256":"1ec30a403e7335f052df466b365b930dde230e1e594d59a414eb5926f402a2f6","sourcesHash":"698dfe2d9cd2770a4f9c0874055ebee211ddad55790df479292f55b3bb5d3da8"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"aae9bbc416f64693e43bd66973155768b24e7b84c34c275d9522de3d84de85f5","sourcesHash":"341cfad94b65d97f860a3e6c9cef563024348ceccf144c838c686c3e8b74853b"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"5fdced40d82930b03d2a3a9bbccd6b949b13759c187462930e99fff04e3414fc","sourcesHash":"341cfad94b65d97f860a3e6c9cef563024348ceccf144c838c686c3e8b74853b"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"0a3c8991e05ebc9d8c81c7432b4d96500c08ee679ab47bead469daaffeb42666","sourcesHash":"07153c2eb7f94bdc2ea14343f8505b98fc7f6b448ab630c5ab8b702f55070bed"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"45b8a6d64c104eae72a615bd14a967c7f485979a6598e320fc331ff5671c7c71","sourcesHash":"07153c2eb7f94bdc2ea14343f8505b98fc7f6b448ab630c5ab8b702f55070bed"},
};
