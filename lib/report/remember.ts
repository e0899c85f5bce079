/** Functions that remember what they found: the parts of an explanation ask for the same again and again. */

type Found = string | number | bigint | boolean | object | null;

/** A function of an object, such as a report or a stack, that is worked out once for each. */
export function once<Key extends object, Value extends Found>(
  of: (key: Key) => Value,
): (key: Key) => Value {
  const place = functions++;
  return (key) => {
    let values = found.get(key) as (Value | undefined)[] | undefined;
    if (values === undefined) found.set(key, values = []);
    let value = values[place];
    if (value === undefined) values[place] = value = of(key);
    return value;
  };
}

/** What all of them found, by the object: a table for each would be slow to fill. */
const found = new WeakMap<object, (Found | undefined)[]>();
let functions = 0;

/** Most texts that are remembered. */
const MAX_TEXTS = 1 << 13;

/** A function of a text, such as a function's name: they repeat from report to report. */
export function oncePerText<Value extends Found>(
  of: (text: string) => Value,
): (text: string) => Value {
  const found = new Map<string, Value>();
  return (text) => {
    let value = found.get(text);
    if (value === undefined) {
      value = of(text);
      if (found.size >= MAX_TEXTS) found.clear();
      found.set(text, value);
    }
    return value;
  };
}
