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
  "darwin": {"file":"libmachpause.dylib","size":122464,"sha256":"709b37eff8bb5d1c572e91b8e986edd2491868e07f0d7360993613895380c204","sourcesHash":"e52bf09dcaee5a97a122bed91ccaa6fbb1f39dd23dcd4d67ea1c4fa69b153a4a"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"0007b2684bd839a9721baa03b8067fc9ca42a211693fe2bb47fb2c91e676a8ad","sourcesHash":"a58682410215d36d1fa78f3986fffd5cd6ca85e6d0e06abfb63bcad5fb78aa6e"},
  "demo": {"file":"demo.bundle","size":250644,"sha256":"c3323b83f352098cf3b01f646a99e2754d1d85f8a680260d6735d7494e6bd088","sourcesHash":"307a656733d02b03a091c67dcd6d12163666298b15f5a42251d05e12646101de"},
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"10b35575b550779392ef859ea76d8792f4c3fa8f8621c6758a9441392da39a4f","sourcesHash":"a9a5c18d317d3624f0db4e2f6c96c05f157c8264a5b081fb1a6e1e0549e077f0"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"131c1f2fd2935eba190d697f0f6007220a508d72f78e54efd2a4cdf85abcaa6a","sourcesHash":"67fed08740128fd9050a85415e8a6f1568078a80f2d37d8280a5f72578ac2bb5"},
  "loader-x86_64": {"file":"macho-loader","size":59664,"sha256":"dfe3e39f98568aa3b4e91458d585f954b92cd6f7fa04c512a4b2f0a0464d94e4","sourcesHash":"0383613035cd062042db8b185bfe2ee4d53f188a339a7d784dec0ae1dd437409"},
  "loader-i386": {"file":"macho-loader","size":42728,"sha256":"45653e02c21027ba8f906dfe38bf96e4264248f62c8b4b35b35dc0e6eb2fabca","sourcesHash":"4959f79a9902581a025d526f4f649ab04f89e4ace1af3877a64f111a891985ab"},
  "loader-arm64": {"file":"macho-loader","size":78384,"sha256":"f89afaabc4594f881d2b20e5ecdb595525acb2a273d4cbdd72b105af6bd578d1","sourcesHash":"ef913a1e812c44777f661f05cc7eb7b0d123d3c8bde592ec8d316c2f0ddf91fe"},
  "loader-armv7": {"file":"macho-loader","size":31792,"sha256":"c189a21a3825d3512ed4970edd5fae47be40e90472d33c25e19574b2267ae3aa","sourcesHash":"cea2f86cafec66e4e14b6bd06a6b94e4fb7cab68f6ea3095cd3a7cc6654f229c"},
};
