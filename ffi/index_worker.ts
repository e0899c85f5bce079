/** A worker that reads debug information: see `index_system.ts`. */
import { serveTasks } from "../lib/symbols/index/serve.ts";
import { files } from "./files.ts";

serveTasks(files);
