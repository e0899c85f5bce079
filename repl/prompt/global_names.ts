/** The globals that the session answers for, by what they are. */
export const sessionGlobals = ["target", "threads", "thread", "frame"] as const;

/** The globals of the prompt that are also names of commands. A line that is nothing but such a name is
 * the command. The list is here as well as in the API so that a line can be understood before the API
 * is loaded. */
export const globalNames: ReadonlySet<string> = new Set([
  ...sessionGlobals,
  "attach",
  "launch",
]);
