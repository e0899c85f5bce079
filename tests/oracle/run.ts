/** Running tools. */

/** Runs a tool.
 *
 * @param cwd the folder that it runs in; this one by default
 * @returns what it printed on stdout
 * @throws Error with what it printed on stderr, when it fails
 */
export async function run(
  command: string,
  args: readonly string[],
  cwd?: string,
  { env, input }: { readonly env?: Record<string, string>; readonly input?: string } = {},
): Promise<string> {
  const child = new Deno.Command(command, {
    args: [...args],
    ...cwd === undefined ? {} : { cwd },
    ...env === undefined ? {} : { env },
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // All of it is read meanwhile: a tool may wait for that.
  const output = child.output();
  if (input !== undefined) await new Blob([input]).stream().pipeTo(child.stdin);
  const { success, stdout, stderr } = await output;
  const text = new TextDecoder();
  if (!success) throw new Error(`${command} ${args.join(" ")}\n${text.decode(stderr)}`);
  return text.decode(stdout);
}
