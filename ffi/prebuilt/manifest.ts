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
  "darwin": {"file":"libmachpause.dylib","size":122112,"sha256":"0b17720459b3f600cee0f3c2bfd25adff7c28a9d90cdc1adc6075d30e0fd85ef","sourcesHash":"db9878cab9c4c323493239964d7f7b8ccfc9b97551dafbf9a886916f95738beb"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"d2b588d01e108ad782b547a259d574c19a62044b8254c1cb157048176ad1a399"},
  "demo": {"file":"demo.bundle","size":247639,"sha256":"1ec30a403e7335f052df466b365b930dde230e1e594d59a414eb5926f402a2f6","sourcesHash":"698dfe2d9cd2770a4f9c0874055ebee211ddad55790df479292f55b3bb5d3da8"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"1512c54caa870f404371a833659288ed82f60240e239e5d952d8054b9ef34d81","sourcesHash":"db435fb2bdaa961c26988d478ffeced10a8c3d6342c7a0dcbbca5d309a2ce432"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"a797622f7026b5c6eb1bf7552a577b54b3e03df753081d302639c6407574b52d","sourcesHash":"db435fb2bdaa961c26988d478ffeced10a8c3d6342c7a0dcbbca5d309a2ce432"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"ade471b87f94e7f6497b6de73056cf496c45eac19aee099e07230b421370f57f","sourcesHash":"dfe07dd28d0af6d54c9b273face06ccd5c7d27fc1996917071b21777e5602396"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"34f0f94cd4f772ed2600b564c83e400bcd9518de8abcf2bbcf7a8d4f3408c2a5","sourcesHash":"dfe07dd28d0af6d54c9b273face06ccd5c7d27fc1996917071b21777e5602396"},
};
