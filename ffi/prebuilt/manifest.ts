// Written by ffi/build.ts.

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
  "darwin": {"file":"libmachpause.dylib","size":85968,"sha256":"35d502c9db37c98e9606a974a888ceffe906a955bf21bf355aba62386221fb14","sourcesHash":"2730b6978de27413536f49056de0397fe211f2658137dff17e896076c03810d3"},
  "linux-x86_64": {"file":"libmachpause.so","size":38720,"sha256":"eb811598f93667692e568ad4f742b10e92099be0010ce380fc8cceb52e1bf27a","sourcesHash":"af9d9bb59ec5a06e9b4e9c172fe12cbb064087ce7ec669491b14951131685e83"},
  "linux-aarch64": {"file":"libmachpause.so","size":67296,"sha256":"aa75ee6c80ce63fb76806b1497eff2e2ee481bc2dc559eccf468fc44cee32a66","sourcesHash":"af9d9bb59ec5a06e9b4e9c172fe12cbb064087ce7ec669491b14951131685e83"},
  "loader-x86_64": {"file":"macho-loader","size":47400,"sha256":"3f7e2ad2d025e977957e110cfe1674469d5f498c7929f4ebf2b4eb16f879ca84","sourcesHash":"71bb014df0e24535cc60227f0a9855d32c28292f040ed0e397ab082384772d5b"},
  "loader-i386": {"file":"macho-loader","size":37280,"sha256":"45d1557bdbd63a49d14ec66eed8cf5e3b761d51c701bcb5a877877ba45cfbce2","sourcesHash":"71bb014df0e24535cc60227f0a9855d32c28292f040ed0e397ab082384772d5b"},
};
