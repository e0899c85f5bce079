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
  "darwin": {"file":"libmachpause.dylib","size":104608,"sha256":"3c7b75cc0c665db5888740766100c4b2dd4fbaac073698333487f54a9af40464","sourcesHash":"6841be15fc79d4bbab10114ab4e87d6677e324b34c381dbee3b88a865a268e1a"},
  "preload": {"file":"libmachpause_preload.dylib","size":132288,"sha256":"e95959367d2edb4fd8569d1a17be1456f37fde2f84f877fb9fea13bd6007e9ea","sourcesHash":"adba6efb57e21ff9d3627fe07a26d8fb77c00fe166826c07c941f10f1432d2b1"},
  "demo": {"file":"demo.bundle","size":247639,"sha256":"1ec30a403e7335f052df466b365b930dde230e1e594d59a414eb5926f402a2f6","sourcesHash":"698dfe2d9cd2770a4f9c0874055ebee211ddad55790df479292f55b3bb5d3da8"},
  "linux-x86_64": {"file":"libmachpause.so","size":51024,"sha256":"c283791cb4c266a7b0612c293c41685753ef3f31a5824baebcdd6931ce952888","sourcesHash":"21e3f4b383880ff0831521f43c927f98138dfc6209d673c5fd8a0b3aa7d17864"},
  "linux-aarch64": {"file":"libmachpause.so","size":67312,"sha256":"4dc0eb282e07c4b9f9779987e701fe4425f76b695c4295da6b6037e564f95aea","sourcesHash":"21e3f4b383880ff0831521f43c927f98138dfc6209d673c5fd8a0b3aa7d17864"},
  "loader-x86_64": {"file":"macho-loader","size":51504,"sha256":"ade471b87f94e7f6497b6de73056cf496c45eac19aee099e07230b421370f57f","sourcesHash":"dfe07dd28d0af6d54c9b273face06ccd5c7d27fc1996917071b21777e5602396"},
  "loader-i386": {"file":"macho-loader","size":37284,"sha256":"34f0f94cd4f772ed2600b564c83e400bcd9518de8abcf2bbcf7a8d4f3408c2a5","sourcesHash":"dfe07dd28d0af6d54c9b273face06ccd5c7d27fc1996917071b21777e5602396"},
};
