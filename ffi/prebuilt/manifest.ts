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
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"a90314c44798d1b64295ad00adfb5ae0cfec2cad5609744b512d336aadf78979","sourcesHash":"841291ac7d4f80489bdda883df8e21552c8ec95ba6ba3d7ca10a2d26c9d99265"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"d38c5b8941f6b36da18f368ddcbf81329438b3cc13376209d40256788aaba26b","sourcesHash":"0a61f155932290f40ac47c39e438782480e3e8411244fac679ae3e3c15a36b6e"},
  "loader-x86_64": {"file":"macho-loader","size":59664,"sha256":"dfe3e39f98568aa3b4e91458d585f954b92cd6f7fa04c512a4b2f0a0464d94e4","sourcesHash":"0383613035cd062042db8b185bfe2ee4d53f188a339a7d784dec0ae1dd437409"},
  "loader-i386": {"file":"macho-loader","size":42728,"sha256":"45653e02c21027ba8f906dfe38bf96e4264248f62c8b4b35b35dc0e6eb2fabca","sourcesHash":"4959f79a9902581a025d526f4f649ab04f89e4ace1af3877a64f111a891985ab"},
  "loader-arm64": {"file":"macho-loader","size":78384,"sha256":"a484684d069c640c792eab18b300af9cb9275b3478b9cafaa8c0487b04a0e222","sourcesHash":"ef913a1e812c44777f661f05cc7eb7b0d123d3c8bde592ec8d316c2f0ddf91fe"},
  "loader-armv7": {"file":"macho-loader","size":31792,"sha256":"3aa47d256b935e94f8e978845d841d53f69d2ee3478585aad0c1beb08f8d889e","sourcesHash":"cea2f86cafec66e4e14b6bd06a6b94e4fb7cab68f6ea3095cd3a7cc6654f229c"},
};
