/** Collects what was found damaged: each thing once, and not without end.
 *
 * @param warnings that they are added to
 */
export function collector(warnings: string[]): (text: string) => void {
  const most = 100;
  return (text) => {
    if (warnings.length < most && !warnings.includes(text)) warnings.push(text);
    if (warnings.length === most) warnings.push("and more");
  };
}
