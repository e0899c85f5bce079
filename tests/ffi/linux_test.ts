import { buildHost } from "../../tools/build.ts";
import { contractTests } from "./contract.ts";
import { buildDirectory } from "./program.ts";
import { onLinux, testPrograms } from "../machine.ts";

if (onLinux) {
  let library: Promise<string> | undefined;
  const build = async () =>
    testPrograms === undefined
      ? await buildHost(`${await buildDirectory()}/host`)
      : `${testPrograms}/libmachpause.so`;
  contractTests("linux", () => library ??= build());
}
