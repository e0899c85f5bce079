import { escape, safe } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { symbols, type Values } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

const options = {
  symbols,
  source: {
    value: "folder",
    collect: true,
    help: "Folder whose source files may be sent, where debug information names them. Repeatable.",
  },
  port: { value: "number", integer: true, help: "Port. Default: the first free one from 3000 on." },
  host: { value: "address", help: "Address to listen at. Default: 127.0.0.1." },
  token: { value: "text", help: "First part of every path. Default: a random one." },
  public: { help: "No token: everybody who reaches the port may ask." },
} as const;

/** `machpause serve` */
export default {
  description:
    "Serve symbols over HTTP, as Mozilla's symbol server and samply do, until Ctrl-C:\n" +
    "/symbolicate/v5, /source/v1 and /asm/v1 for the Firefox Profiler and others.",
  options,
  examples: [
    ["Symbols of a folder with dSYMs", "machpause serve --symbols ./symbols"],
    ["For others", "machpause serve --symbols /store --host 0.0.0.0 --port 8080 --public"],
  ],
  run: (options) => serve(options),
} satisfies Subcommand<typeof options>;

async function serve(given: Values<typeof options>): Promise<number> {
  const { symbols = [], source = [], token, public: open = false, host, port } = given;
  if (symbols.length === 0) throw new UserError("serve what? Name a folder with --symbols", 2);
  if (open && token !== undefined) throw new UserError("--public has no --token", 2);
  if (token !== undefined && !/^[\w-]{1,200}$/.test(token)) {
    throw new UserError("--token is made of letters, digits, - and _", 2);
  }
  const [
    { handlerFor, openSymbolServer, randomToken },
    { listen },
    opening,
    output,
  ] = await Promise.all([
    import("../../ffi/symbol_server.ts"),
    import("./serve/listen.ts"),
    import("../prompt/open.ts"),
    import("../view/output.ts"),
  ]);
  opening.checkFolders([...symbols, ...source]);
  using server = openSymbolServer({ symbols, sources: source });
  const secret = open ? null : token ?? randomToken();
  const { origin, finished } = listen(handlerFor({ token: secret, api: server }), {
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
  });
  const url = secret === null ? origin : `${origin}/${secret}`;
  output.print(safe`${escape(url)}
In the Firefox Profiler, add ?symbolServer=${escape(encodeURIComponent(url))} to the address.
Ctrl-C ends it.
`);
  await finished;
  return 0;
}
