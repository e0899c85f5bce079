/** The kinds of text that are told apart by colour. */
export type Kind = "heading" | "name" | "running" | "quiet" | "image" | "address" | "warning";

/** Gives text the look of its kind. */
export type Style = (kind: Kind, text: string) => string;

/** Sets of colours. */
export type Theme = "dark" | "light" | "both" | "none";

/** All of them. */
export const themes: readonly Theme[] = ["dark", "light", "both", "none"];

/** When there is colour: `auto` is on a terminal, where `NO_COLOR` asks for none. */
export type ColourUse = "auto" | "always" | "never";

/** SGR parameters. Those of `both` read well on dark and on light. */
const parameters: Readonly<Record<Exclude<Theme, "none">, Readonly<Record<Kind, string>>>> = {
  both: {
    heading: "1",
    name: "1;36",
    running: "32",
    quiet: "2",
    image: "36",
    address: "33",
    warning: "31",
  },
  dark: {
    heading: "1;97",
    name: "1;96",
    running: "92",
    quiet: "90",
    image: "96",
    address: "93",
    warning: "91",
  },
  light: {
    heading: "1;30",
    name: "1;34",
    running: "32",
    quiet: "38;5;242",
    image: "34",
    address: "38;5;94",
    warning: "31",
  },
};

/** No looks at all: what a pipe gets. */
export const plain: Style = (_kind, text) => text;

function styleOf(theme: Theme): Style {
  if (theme === "none") return plain;
  const kinds = parameters[theme];
  return (kind, text) => text === "" ? "" : `\x1b[${kinds[kind]}m${text}\x1b[0m`;
}

/** Looks for a terminal. */
export const coloured: Style = styleOf("both");

let use: ColourUse = "auto";
let theme: Theme | undefined;

/** Says when there is to be colour. */
export function useColour(when: ColourUse): void {
  use = when;
}

/** Chooses the colours.
 *
 * @returns their looks
 */
export function useTheme(chosen: Theme): Style {
  theme = chosen;
  return styleOf(chosen);
}

/** What `MACHPAUSE_THEME` says; otherwise colours that do everywhere. */
function preferredTheme(): Theme {
  const wanted = Deno.env.get("MACHPAUSE_THEME");
  return themes.find((theme) => theme === wanted) ?? "both";
}

/** Colour goes to a terminal alone, and not where `NO_COLOR` asks for none; or as `--color` says. */
export function styleFor(stream: { isTerminal(): boolean }): Style {
  const wanted = use === "always" || use === "auto" && stream.isTerminal() && !Deno.noColor;
  return wanted ? styleOf(theme ??= preferredTheme()) : plain;
}
