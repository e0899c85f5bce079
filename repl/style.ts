/** The kinds of text that are told apart by colour. */
export type Kind = "heading" | "name" | "running" | "quiet" | "image" | "address" | "warning";

/** Gives text the look of its kind. */
export type Style = (kind: Kind, text: string) => string;

/** SGR parameters, chosen to read well on dark and on light. */
const parameters: Readonly<Record<Kind, string>> = {
  heading: "1",
  name: "1;36",
  running: "32",
  quiet: "2",
  image: "36",
  address: "33",
  warning: "31",
};

/** No looks at all: what a pipe gets. */
export const plain: Style = (_kind, text) => text;

/** Looks for a terminal. */
export const coloured: Style = (kind, text) =>
  text === "" ? "" : `\x1b[${parameters[kind]}m${text}\x1b[0m`;

/** Colour goes to a terminal alone, and not where `NO_COLOR` asks for none. */
export function styleFor(stream: { isTerminal(): boolean }): Style {
  return stream.isTerminal() && !Deno.noColor ? coloured : plain;
}
