/** Time for bounds that a busy machine must not break. */
import process from "node:process";

/** Milliseconds of processor time that this process has used. Waiting for a processor that other programs
 * have is not in it. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
