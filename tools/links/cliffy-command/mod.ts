/** Stands in for `jsr:@cliffy/command` where JSR cannot be reached: the part of its documented API
 * that this project uses. It rests on nothing: loading the first of Node's modules, let alone a
 * package of npm, takes longer than all else that a short command does.
 *
 * Left out of what it has in common with the real one: suggestions for mistyped names, environment
 * variables, completions, and option values other than those of the built-in types.
 *
 * @module
 */

export { Command, type CommandResult, type OptionOptions } from "./command.ts";
export { ValidationError, type ValidationErrorOptions } from "./errors.ts";
