/** Colours. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";

/** The kinds of text that colour tells apart. */
export type Kind = "heading" | "name" | "running" | "quiet" | "image" | "address" | "warning";

/** Gives text the colour of its kind. */
export type Style = (kind: Kind, text: SafeText) => SafeText;

/** Sets of colours. */
export type Theme = "dark" | "light" | "both" | "none";

/** All themes. */
export const themes: readonly Theme[] = ["dark", "light", "both", "none"];

/** When to use colour; `auto`: on a terminal, unless `NO_COLOR` is set. */
export type ColourUse = "auto" | "always" | "never";

/** SGR parameters. Those of `both` are readable on dark and on light. */
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

/** No colour: for pipes. */
export const plain = ((_kind: Kind, text: SafeText) => text) as Style;

function styleOf(theme: Theme): Style {
  if (theme === "none") return plain;
  const kinds = parameters[theme];
  return ((kind: Kind, text: SafeText) =>
    text === "" ? text : safe`\x1b[${escape(kinds[kind])}m${text}\x1b[0m`) as Style;
}

/** Colours for a terminal. */
export const coloured: Style = styleOf("both");

let use: ColourUse = "auto";
let theme: Theme | undefined;
/** Whether the user chose it. */
let chosen = false;

/** Sets when colour is used. */
export function useColour(when: ColourUse): void {
  use = when;
}

/** Sets the theme.
 *
 * @returns its style
 */
export function useTheme(wanted: Theme): Style {
  theme = wanted;
  chosen = true;
  return styleOf(wanted);
}

/** The theme for a terminal's background, from its answer to `OSC 11 ; ?`, as in `11;rgb:ffff/ffff/dddd`.
 *
 * @returns its style; `undefined` where a theme was chosen, or the answer is none
 */
export function useBackground(answer: string): Style | undefined {
  const match = /^11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(answer);
  if (match === null || chosen) return undefined;
  const [red, green, blue] = match.slice(1).map((digits) =>
    parseInt(digits, 16) / (16 ** digits.length - 1)
  );
  // The weights of ITU-R BT.709.
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5;
  theme = light ? "light" : "dark";
  return styleOf(theme);
}

/** Whether the terminal has to be asked for its background. */
export function asksForBackground(): boolean {
  return !chosen && Deno.env.get("MACHPAUSE_THEME") === undefined;
}

/** The theme of `MACHPAUSE_THEME`; otherwise colours for any background. */
function preferredTheme(): Theme {
  const wanted = Deno.env.get("MACHPAUSE_THEME");
  return themes.find((theme) => theme === wanted) ?? "both";
}

/** The style for a stream: colour on a terminal unless `NO_COLOR` is set, or as `--color` says. */
export function styleFor(stream: { isTerminal(): boolean }): Style {
  const wanted = use === "always" || use === "auto" && stream.isTerminal() && !Deno.noColor;
  return wanted ? styleOf(theme ??= preferredTheme()) : plain;
}
