/** What flags and argument definitions say, at the type level. */

/** The built-in value types. */
interface ValueTypes {
  string: string;
  file: string;
  secret: string;
  number: number;
  integer: number;
  boolean: boolean;
}

type TypeNamed<Name extends string> = Name extends keyof ValueTypes ? ValueTypes[Name] : unknown;

/** `name` or `name:type`. */
type ValueOf<Definition extends string> = Definition extends `${string}:${infer Type}`
  ? TypeNamed<Type>
  : string;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** `limit` of `-l, --limit <frames:integer>`. */
type FlagName<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}` ? CamelCase<Name> : CamelCase<Rest>
  : never;

/** `{ limit?: number }` of `--limit <frames:integer>`, `{ json?: true }` of `--json`, `{ color?: boolean }`
 * of `--no-color`; with `Collect`, arrays. */
export type TypedOption<Flags extends string, Collect extends boolean = false> = Flags extends
  `--no-${infer Name}` ? { [Key in CamelCase<Name>]?: boolean } : {
  [Name in FlagName<Flags>]?: Flags extends `${string}<${infer Definition}>`
    ? Collect extends true ? ValueOf<Definition>[] : ValueOf<Definition>
    : true;
};

type Definition<Name extends string> = Name extends `${infer Base}...:${infer Type}`
  ? `${Base}:${Type}`
  : Name extends `${infer Base}...` ? Base
  : Name;

/** `[string, ...string[]]` of `<program:string> [args...:string]`. */
export type TypedArguments<Text extends string> = Text extends `${infer Head} ${infer Tail}`
  ? [...TypedArguments<Head>, ...TypedArguments<Tail>]
  : Text extends `<${infer Name}>`
    ? Name extends `${string}...${string}`
      ? [ValueOf<Definition<Name>>, ...ValueOf<Definition<Name>>[]]
    : [ValueOf<Name>]
  : Text extends `[${infer Name}]`
    ? Name extends `${string}...${string}` ? ValueOf<Definition<Name>>[] : [ValueOf<Name>?]
  : [];
