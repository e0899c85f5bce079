import type { OptionDefinition } from "./command.ts";

/** How help is to look. */
export interface HelpOptions {
  /** With colours; they are on unless this is `false`. */
  colors?: boolean;
}

/** What help tells of a command. */
export interface HelpContent {
  readonly path: string;
  readonly usage: string;
  readonly version: string | undefined;
  readonly description: string;
  readonly options: readonly OptionDefinition[];
  readonly commands: readonly {
    readonly names: readonly string[];
    readonly arguments: string;
    readonly description: string;
  }[];
  readonly examples: readonly { readonly name: string; readonly description: string }[];
}

/** `<target>` of `<target:string>`. */
function withoutTypes(definition: string): string {
  return definition.replace(/:\w+/g, "");
}

/** Rows of cells, each column as wide as its widest cell. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, index) => Math.max(...rows.map((row) => row[index].length)));
  return rows.map((row) =>
    "  " + row.map((cell, index) => cell.padEnd(widths[index])).join("  ").trimEnd()
  );
}

/** The help of a command, in the sections and the order of the real package. */
export function helpText(content: HelpContent, { colors = true }: HelpOptions): string {
  const bold = (text: string) => colors && !Deno.noColor ? `\x1b[1m${text}\x1b[22m` : text;
  const lines = [
    "",
    `${bold("Usage:")}   ${content.path} ${withoutTypes(content.usage)}`.trimEnd(),
  ];
  if (content.version !== undefined) lines.push(`${bold("Version:")} ${content.version}`);
  const section = (title: string, body: readonly string[]) =>
    lines.push("", bold(`${title}:`), "", ...body);
  if (content.description !== "") {
    section(
      "Description",
      content.description.trim().split("\n").map((line) => `  ${line.trim()}`),
    );
  }
  if (content.options.length > 0) {
    section(
      "Options",
      columns(content.options.map(({ short, long, aliases, value, description }) => [
        [
          ...short === undefined ? [] : [`-${short}`],
          ...[long, ...aliases].map((name) => `--${name}`),
        ]
          .join(", "),
        value === undefined ? "" : `<${value.name}>`,
        `- ${description}`,
      ])),
    );
  }
  if (content.commands.length > 0) {
    section(
      "Commands",
      columns(content.commands.map(({ names, arguments: definition, description }) => [
        names.join(", "),
        withoutTypes(definition),
        `- ${description}`,
      ])),
    );
  }
  if (content.examples.length > 0) {
    section(
      "Examples",
      columns(content.examples.map(({ name, description }) => [name, description])),
    );
  }
  return lines.join("\n") + "\n";
}
