import { buildHost } from "../../tools/build.ts";
import { contractTests } from "./contract.ts";
import { buildDirectory } from "./program.ts";
import { onLinux } from "../machine.ts";

if (onLinux) {
  let library: Promise<string> | undefined;
  const build = async () => await buildHost(`${await buildDirectory()}/host`);
  contractTests("linux", () => library ??= build());
}
