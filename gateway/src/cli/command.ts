// A command of the command line. Commands are values in a table, so that the help, the shells' completion, the
// reference in docs/cli.md, the parsing and the checks come from one description of each.

import { parseUsd } from '../platform/money.ts';
import type { Progress } from './progress.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type HttpAnswer = Readonly<{ status: number; body: unknown; requestId: string | undefined }>;

export type OperatorClient = Readonly<{
  /** The gateway's address. */
  url: string;
  /** With the same `idempotencyKey` the gateway does it once, however often it is asked. */
  call(method: Method, path: string, body?: unknown, idempotencyKey?: string): Promise<unknown>;
  /** Takes an answer of any status, because the status tells whether a gateway is ready. */
  probe(path: string): Promise<HttpAnswer>;
}>;

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

export type CommandOption = Readonly<{
  /** The placeholder in the help text, for example `TEXT`. Without it the option is a flag. */
  value?: string;
  summary: string;
  isRequired?: boolean;
  /** The only allowed values; any other is refused before the command runs. */
  choices?: readonly string[];
}>;

export type CommandInput = Readonly<{
  /** By the command's own operand names; all of them are present. */
  operands: Readonly<Record<string, string>>;
  options: Readonly<Record<string, string | undefined>>;
  environment: ProcessEnvironment;
  progress: Progress;
  /** Null where there is no terminal. */
  ask: Ask | null;
  /** For text that a person should see before a question; scripts do not read it. */
  tell(text: string): void;
  /** Made on first use: some commands need no gateway, and its address may be wrong. */
  operator(): OperatorClient;
}>;

/** Questions to a person. Answers to `secret` are not shown while they are typed. */
export type Ask = Readonly<{ line(question: string): Promise<string>; secret(question: string): Promise<string> }>;

/** What a command found: the same facts for a script and for a person. */
export type CommandResult = Readonly<{ json: unknown; text: string; isFailure?: boolean }>;

export type Command = Readonly<{
  words: readonly string[];
  /** In capitals. An operand named FILE is completed with file names. */
  operands: readonly string[];
  /** By operand, where only these values exist. */
  operandChoices?: Readonly<Record<string, readonly string[]>>;
  options: Readonly<Record<string, CommandOption>>;
  summary: string;
  /** The words after `tollgate`: a line that can be typed as it is, except for the ids. */
  example: string;
  /** Null when the command keeps running and prints its own output. */
  run(input: CommandInput): Promise<CommandResult | null>;
}>;

/** A mistake of the person; answered with the usage of the command and exit code 2. */
export class UsageError extends Error {}

/** The gateway refused or could not be reached; exit code 1. */
export class CommandError extends Error {}

/** The gateway failed, or its answer was lost: what was asked for may be done or not. */
export class UncertainError extends CommandError {}

/** An operand that the parser has checked to be there. */
export function operand(input: CommandInput, name: string): string {
  const value = input.operands[name];
  if (value === undefined) throw new UsageError(`${name} is missing.`);
  return value;
}

export const isSaid = (input: CommandInput, option: string): boolean => input.options[option] !== undefined;

export const phraseOf = (command: Command): string => command.words.join(' ');

// Amounts of money on the command line: decimal text throughout, so that no digit is lost.

export function checkedAmount(name: string, text: string, least: bigint): string {
  const amountNanoUsd = parseUsd(text);
  if (amountNanoUsd !== null && amountNanoUsd >= least) return text;
  const bound = least === 0n ? '' : 'above 0 ';
  throw new UsageError(`${name} is in USD, ${bound}with at most nine decimals: 25 or 0.5, not ${text}.`);
}
