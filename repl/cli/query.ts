import type { Subcommand } from "./subcommand.ts";

/** The options of `machpause query`. */
const options = {
  json: { help: "Print a JSON object a row." },
  csv: { help: "Print comma-separated values, with the names first (RFC 4180)." },
  dump: { help: "Print everything as standard SQL, for PostgreSQL and others." },
} as const;

/** `machpause query` */
export default {
  description: "Ask a library of reports by SQL; without SQL, say what its tables are.",
  arguments: "<file:string> [sql:string]",
  options,
  examples: [
    [
      "What goes wrong most",
      "machpause query crashes.sqlite 'SELECT * FROM groups ORDER BY times DESC'",
    ],
    ["Into PostgreSQL", "machpause query crashes.sqlite --dump | psql crashes"],
  ],
  async run(options, [file, sql]) {
    return await (await import("./query/query.ts")).query(file, sql, options);
  },
} satisfies Subcommand<typeof options>;
