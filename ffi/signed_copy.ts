/** The copy of Deno, or of the compiled program, that `machpause setup` signs with a debugger's
 * entitlement: where it is, and whether it is up to date. */
import { type Origin, ownOrigin } from "./command.ts";

/** The files of a copy. */
export interface SignedCopy {
  /** The signed program. */
  readonly path: string;
  /** Contains the SHA-256 of the original. The copy's own differs because of its signature. */
  readonly origin: string;
}

/** Where setup puts the files.
 *
 * @param directory instead of the user's own
 */
export function signedCopy(home: string, { standalone }: Origin, directory?: string): SignedCopy {
  const folder = directory ?? `${home}/Library/Application Support/machpause`;
  const path = `${folder}/${standalone ? "machpause" : "deno"}`;
  return { path, origin: `${path}.sha256` };
}

/** SHA-256 of a file, in hexadecimal. */
export async function sha256(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}

/** Whether the copy exists and was made of this executable. */
export async function isCurrent(copy: SignedCopy, executable: string): Promise<boolean> {
  try {
    const [written] = await Promise.all([Deno.readTextFile(copy.origin), Deno.stat(copy.path)]);
    return written.trim() === await sha256(executable);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The current user's copy, if there is one. It may be of another version. */
export function findSignedCopy(): SignedCopy | undefined {
  const home = Deno.env.get("HOME");
  if (home === undefined) return undefined;
  const copy = signedCopy(home, ownOrigin());
  try {
    return Deno.statSync(copy.path).isFile && Deno.statSync(copy.origin).isFile ? copy : undefined;
  } catch {
    return undefined;
  }
}
