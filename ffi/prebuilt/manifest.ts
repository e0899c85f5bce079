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
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"1512c54caa870f404371a833659288ed82f60240e239e5d952d8054b9ef34d81","sourcesHash":"f82aad5b1a6a5aab853f005971ff1aeaa03fc8b7f2ba5c4666e41d467fbd1319"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"a797622f7026b5c6eb1bf7552a577b54b3e03df753081d302639c6407574b52d","sourcesHash":"f82aad5b1a6a5aab853f005971ff1aeaa03fc8b7f2ba5c4666e41d467fbd1319"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"ade471b87f94e7f6497b6de73056cf496c45eac19aee099e07230b421370f57f","sourcesHash":"841d12938dcff71ee9d859eb6c777f6c0161f3cf1625e6bca0382dbb0f789178"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"34f0f94cd4f772ed2600b564c83e400bcd9518de8abcf2bbcf7a8d4f3408c2a5","sourcesHash":"841d12938dcff71ee9d859eb6c777f6c0161f3cf1625e6bca0382dbb0f789178"},
};
