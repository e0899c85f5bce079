/** The copy of Deno, or of the compiled program, that `machpause setup` signs with a debugger's
 * entitlement: where it is, and whether it is one of what runs now. */
import { type Origin, ownOrigin } from "./command.ts";

/** The files of a copy. */
export interface SignedCopy {
  /** The signed program. */
  readonly path: string;
  /** Holds the SHA-256 of what it is a copy of: its own differs, for it is signed otherwise. */
  readonly origin: string;
}

/** Where setup puts them.
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

/** Whether there is a copy of this very program, by what setup wrote down of it. */
export async function isCurrent(copy: SignedCopy, executable: string): Promise<boolean> {
  try {
    const [written] = await Promise.all([Deno.readTextFile(copy.origin), Deno.stat(copy.path)]);
    return written.trim() === await sha256(executable);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The current user's copy, where there is one; it may be of another Deno. */
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
