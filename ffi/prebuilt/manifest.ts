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
  "darwin": {"file":"libmachpause.dylib","size":122464,"sha256":"003df670509d6594bda0fad611e6e1cf7e5d93258a182427372bc5b3772283ae","sourcesHash":"1e1e7960ccf5649d1512db69fa02af62c85977885e2912aff748e4f39c7cd728"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"a58682410215d36d1fa78f3986fffd5cd6ca85e6d0e06abfb63bcad5fb78aa6e"},
  "demo": {"file":"demo.bundle","size":250644,"sha256":"c3323b83f352098cf3b01f646a99e2754d1d85f8a680260d6735d7494e6bd088","sourcesHash":"307a656733d02b03a091c67dcd6d12163666298b15f5a42251d05e12646101de"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"9f7809491a29d618b9f035fffb954e7284030dd19c2a0d994bbdc9f67c67a5bf","sourcesHash":"82d8079e15683421a80b0bce7d16a56f5c4927b6486180988781fa1daefbf11c"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"9513f24927304ca4603e5c51caa2d42f4dd72b42c76d5c53a967549492128b59","sourcesHash":"a051027270197823f22fef07d7c2a0e6808b25df1d9fdf12858da13dc66c4874"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"9dec95f49a11a09d744a163b7d3e358baeb8374cc47302228dedabf1342e669e","sourcesHash":"0383613035cd062042db8b185bfe2ee4d53f188a339a7d784dec0ae1dd437409"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"867dda1c107c9d8696a583740528d420e80d47d55b897030a7fd2e51d19389e9","sourcesHash":"4959f79a9902581a025d526f4f649ab04f89e4ace1af3877a64f111a891985ab"},
  "loader-arm64": {"file":"macho-loader","size":66136,"sha256":"ab5d0f8a1c232bc81f95e525daa1ac7fe59d5626fc9cbccf40ea32952b0699b6","sourcesHash":"ef913a1e812c44777f661f05cc7eb7b0d123d3c8bde592ec8d316c2f0ddf91fe"},
  "loader-armv7": {"file":"macho-loader","size":23100,"sha256":"6f89d1b85fba2a2347af3c4f39bd2de7a0ddbdb0ff1689608181b6166fcd5ece","sourcesHash":"cea2f86cafec66e4e14b6bd06a6b94e4fb7cab68f6ea3095cd3a7cc6654f229c"},
};
