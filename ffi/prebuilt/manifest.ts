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
  "darwin": {"file":"libmachpause.dylib","size":104608,"sha256":"aeb1c571f3a2e3a349cbad716e94b6cd2884c69e230e9f4a8a1de7addfc967e6","sourcesHash":"0e8609a544b22447aeccddcaae6d3219f4bead3891b1303bfd7f40d7e5f8aa13"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"6e23dc308f03a142c72c45dd1c71f664f9f30b572d248c70592fd2468b2b9998"},
  "linux-x86_64": {"file":"libmachpause.so","size":51008,"sha256":"bda6be8cf4cddc8de33952bdd76851d23e5be527a52c740872e6fd0cdb1816b7","sourcesHash":"ae3a2cb14b0581560f93b40bd5c0d2979e3559dee6fb8628421b1b0c99a258fc"},
  "linux-aarch64": {"file":"libmachpause.so","size":67296,"sha256":"95c174a7b9fcc1d90253e7c83f1fcf24d868ac26d381a7a9dc52f2d61600992c","sourcesHash":"ae3a2cb14b0581560f93b40bd5c0d2979e3559dee6fb8628421b1b0c99a258fc"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"ade471b87f94e7f6497b6de73056cf496c45eac19aee099e07230b421370f57f","sourcesHash":"dfe07dd28d0af6d54c9b273face06ccd5c7d27fc1996917071b21777e5602396"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"34f0f94cd4f772ed2600b564c83e400bcd9518de8abcf2bbcf7a8d4f3408c2a5","sourcesHash":"dfe07dd28d0af6d54c9b273face06ccd5c7d27fc1996917071b21777e5602396"},
};
