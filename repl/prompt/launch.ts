import { howEnded, launch } from "../../ffi/processes.ts";
import { UserError } from "../errors.ts";
import { held, type Opened } from "./opened.ts";

/** Starts a program as the target. It outlives the session.
 *
 * @throws UserError when there is no such program
 */
export async function openLaunched(program: string, args: readonly string[]): Promise<Opened> {
  try {
    const target = await launch(program, args);
    return { ...held(target), ended: () => howEnded(target) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new UserError(`there is no program ${program}: give the path of one`);
    }
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new UserError(`${program} may not be run: is it a program, and executable?`);
    }
    throw error;
  }
}
