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
  "linux-x86_64": {"file":"libmachpause.so","size":38720,"sha256":"fbb6f29478306e5c67c1d173c1a99b19cf7318d5c2161448a216b3144b5d1741","sourcesHash":"04bd499447228af194a747dc5d00c74624d7babc2c3df84c50a0ea16a8c532a7"},
  "linux-aarch64": {"file":"libmachpause.so","size":67296,"sha256":"3f53ee04bbe08ea99f23c8602b8ba06f4d49de6df71ace1da6b402292e643312","sourcesHash":"04bd499447228af194a747dc5d00c74624d7babc2c3df84c50a0ea16a8c532a7"},
  "loader-x86_64": {"file":"macho-loader-x86_64","size":47400,"sha256":"e761c4606d4693ec34202e6bd974fa44a8ad6abba827e6ebf99c369bed9daee0","sourcesHash":"c0c849e86ecf56dfb82377eb976b0f5ba87fcb0b5ed88af9086321dee1c537b8"},
  "loader-i386": {"file":"macho-loader-i386","size":37280,"sha256":"f93fe41a1300b306755712434991b83d296f69bfee77574fc999c0937990ac9d","sourcesHash":"c0c849e86ecf56dfb82377eb976b0f5ba87fcb0b5ed88af9086321dee1c537b8"},
};
