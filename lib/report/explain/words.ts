/** Words of explanations. */

export function sentence(text: string): string {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
