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
  "linux-x86_64": {"file":"libmachpause.so","size":38720,"sha256":"ecfbdc9f67f147c84b6f3307e7e9d5e976ac6f2ea2e81b3fde77ee7b4ce7c0ad","sourcesHash":"0780d514541b8183d4d4e13b7e0363288093707fdd1181e384d00db204c708ee"},
  "linux-aarch64": {"file":"libmachpause.so","size":67296,"sha256":"6ddfb9be946edd171d233df25d033cf895bb4bf5ee66058d8567fae5ed3979e1","sourcesHash":"0780d514541b8183d4d4e13b7e0363288093707fdd1181e384d00db204c708ee"},
  "loader-x86_64": {"file":"macho-loader-x86_64","size":47400,"sha256":"3a339dd3d7b05fd698a7e3ca35827ca54445af8e3274e96637c4a22bd96cde57","sourcesHash":"1895812c50be48145044c30c698fe5a77e75139341f823488bc5101dfc82bc5a"},
  "loader-i386": {"file":"macho-loader-i386","size":37280,"sha256":"7f2d4844ef11fc1ec83fb584cec50756d6d123a47e923f1a0d53ff9f2b28f848","sourcesHash":"1895812c50be48145044c30c698fe5a77e75139341f823488bc5101dfc82bc5a"},
};
