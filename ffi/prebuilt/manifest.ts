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
  "darwin": {"file":"libmachpause.dylib","size":103408,"sha256":"2a2589379934424347b81674f9114f39093f60ee41c8bc0733dcd3fc83c70e9a","sourcesHash":"791e8a6dad54e25f16b3c283f029adc46fa0510d3348fb007e346dd46d3b4dcb"},
  "linux-x86_64": {"file":"libmachpause.so","size":42816,"sha256":"b1cde0c2567b039ea1ef190ae8f0af45ff73651a5d8c31c032cb47a2268507de","sourcesHash":"851f4e25d2aa3ac55227885dbe06cdb9e9e64fa2c49e19522aa3cd473cfe43c3"},
  "linux-aarch64": {"file":"libmachpause.so","size":67296,"sha256":"9cfb59ff2de82c5f3b5668a4dc0b30c300a6685c0249d22345f3365e3c545021","sourcesHash":"851f4e25d2aa3ac55227885dbe06cdb9e9e64fa2c49e19522aa3cd473cfe43c3"},
  "loader-x86_64": {"file":"macho-loader","size":47400,"sha256":"74aea7daf2583ea13739dc240eae3b2009065b9b71bb1177a576d7eb1797fc50","sourcesHash":"86977afff47fd0a489e1ac64696bd4f1a719b933b535fd182313a7ef76b7934a"},
  "loader-i386": {"file":"macho-loader","size":37280,"sha256":"fd65037e65fc1fb5889dd9ac005ace19a22fead2c12202010a552d35a479d15f","sourcesHash":"86977afff47fd0a489e1ac64696bd4f1a719b933b535fd182313a7ef76b7934a"},
};
