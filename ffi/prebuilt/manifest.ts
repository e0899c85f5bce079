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
  "darwin": {"file":"libmachpause.dylib","size":122592,"sha256":"5679d69afbba2c5b7a97fa3670bd01dae5edf1842481022cac2c45475853f006","sourcesHash":"1cde1a20212c1cd0a449df3192ae261b99cff7400ae9a4e01d2aacf1a197c6c2"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"ef253cb62fc965f50a89e8daa7d828cbeee16003bc9a05657b02a90c77d3007f"},
  "demo": {"file":"demo.bundle","size":250644,"sha256":"c3323b83f352098cf3b01f646a99e2754d1d85f8a680260d6735d7494e6bd088","sourcesHash":"307a656733d02b03a091c67dcd6d12163666298b15f5a42251d05e12646101de"},
  "linux-x86_64": {"file":"libmachpause.so","size":63896,"sha256":"df66d0af9022394ff9f926e03ac02b92c63fbceb40f818ec03c03a297ba3f656","sourcesHash":"c3ca2949d1008234f9ce41f58b60e312e0de935116493b426860261b13c2e716"},
  "linux-aarch64": {"file":"libmachpause.so","size":67856,"sha256":"d2dc812051b6f21bfa0c48f6220e72a458af29b592533877b93336813639c3a1","sourcesHash":"1ede5658db7c3fd9b55f5b78d61a76393866723929300d356dec0bee2d155ebe"},
  "loader-x86_64": {"file":"macho-loader","size":59664,"sha256":"dfe3e39f98568aa3b4e91458d585f954b92cd6f7fa04c512a4b2f0a0464d94e4","sourcesHash":"0383613035cd062042db8b185bfe2ee4d53f188a339a7d784dec0ae1dd437409"},
  "loader-i386": {"file":"macho-loader","size":42728,"sha256":"45653e02c21027ba8f906dfe38bf96e4264248f62c8b4b35b35dc0e6eb2fabca","sourcesHash":"4959f79a9902581a025d526f4f649ab04f89e4ace1af3877a64f111a891985ab"},
  "loader-arm64": {"file":"macho-loader","size":78384,"sha256":"f89afaabc4594f881d2b20e5ecdb595525acb2a273d4cbdd72b105af6bd578d1","sourcesHash":"ef913a1e812c44777f661f05cc7eb7b0d123d3c8bde592ec8d316c2f0ddf91fe"},
  "loader-armv7": {"file":"macho-loader","size":31792,"sha256":"c189a21a3825d3512ed4970edd5fae47be40e90472d33c25e19574b2267ae3aa","sourcesHash":"cea2f86cafec66e4e14b6bd06a6b94e4fb7cab68f6ea3095cd3a7cc6654f229c"},
};
