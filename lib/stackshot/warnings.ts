/** Collects warnings about damage, without duplicates and up to a limit.
 *
 * @param warnings the list to add to
 */
export function collector(warnings: string[]): (text: string) => void {
  const most = 100;
  return (text) => {
    if (warnings.length < most && !warnings.includes(text)) warnings.push(text);
    if (warnings.length === most) warnings.push("and more");
  };
}
