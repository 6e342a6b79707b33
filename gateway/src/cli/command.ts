// What a command of the command line is. Commands are values in a table, so that the help text, the parsing and the
// checks of operands come from one description of each.

import type { OperatorClient } from './operator-client.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type CommandOption = Readonly<{
  /** The placeholder in the help text, for example `TEXT`. */
  value: string;
  summary: string;
  isRequired?: boolean;
}>;

export type CommandInput = Readonly<{
  /** By the command's own operand names; all of them are present. */
  operands: Readonly<Record<string, string>>;
  options: Readonly<Record<string, string | undefined>>;
  environment: Environment;
  /** Made on first use: some commands talk to no gateway, and its address may be wrong. */
  operator(): OperatorClient;
}>;

/** What a command found: the same facts for a script and for a person. */
export type Outcome = Readonly<{ json: unknown; text: string; isFailure?: boolean }>;

export type Command = Readonly<{
  words: readonly string[];
  operands: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  summary: string;
  /** Null when the command keeps running and speaks for itself. */
  run(input: CommandInput): Promise<Outcome | null>;
}>;

/** The person's mistake; answered with the usage of the command and exit code 2. */
export class UsageError extends Error {}

/** The gateway refused or could not be reached; exit code 1. */
export class CommandError extends Error {}

/** A table's operand, known to be there because the parser has counted. */
export function operand(input: CommandInput, name: string): string {
  const value = input.operands[name];
  if (value === undefined) throw new UsageError(`${name} is missing.`);
  return value;
}
