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
  "linux-x86_64": {"file":"libmachpause.so","size":55696,"sha256":"0baa73d90226db5f78278db57efacbfe88aa9ebbdee2f3a766d27d982566dda1","sourcesHash":"f588dc0418db845d9906b7226fa360b9f007fc64c1ecf74613dffd9bf8719719"},
  "linux-aarch64": {"file":"libmachpause.so","size":67848,"sha256":"7fbba6d9e225475f44aefca955b8bf2d2d8be4c6583a108e880b9839981ec9f2","sourcesHash":"f588dc0418db845d9906b7226fa360b9f007fc64c1ecf74613dffd9bf8719719"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"9dec95f49a11a09d744a163b7d3e358baeb8374cc47302228dedabf1342e669e","sourcesHash":"6c2ecb4ce2997d90ff4cc9e640895ccd595b168278acdf3d84bed8c5b32fe00e"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"e441092bc3035c37734b8fe18c56e3099d2e9114aa8a3ec44ee016711ca4cc82","sourcesHash":"6c2ecb4ce2997d90ff4cc9e640895ccd595b168278acdf3d84bed8c5b32fe00e"},
};
