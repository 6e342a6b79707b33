// From the words of the command line to a command and its checked input. Commands of two words and of one share the
// table, so the longest match wins.

import { parseArgs } from 'node:util';
import { type Command, UsageError } from './command.ts';

export type ParsedArguments = Readonly<{
  command: Command;
  operands: Readonly<Record<string, string>>;
  options: Readonly<Record<string, string | undefined>>;
  isJson: boolean;
  isHelp: boolean;
}>;

function findCommand(commands: readonly Command[], words: readonly string[]): Command {
  const matching = commands.filter((command) => command.words.every((word, index) => words[index] === word));
  const [best] = matching.sort((left, right) => right.words.length - left.words.length);
  if (best !== undefined) return best;
  const group = commands.filter((command) => command.words[0] === words[0]).map((command) => command.words.join(' '));
  const hint = group.length > 0 ? ` Did you mean ${group.join(' or ')}?` : '';
  throw new UsageError(`There is no command ${words.slice(0, 2).join(' ')}.${hint}`);
}

/** The positional words alone, read leniently, to find the command whose options the real parse will know. */
function leadingWords(parameters: readonly string[]): string[] {
  const firstOption = parameters.findIndex((parameter) => parameter.startsWith('-'));
  return parameters.slice(0, firstOption === -1 ? undefined : firstOption);
}

function readOptions(command: Command, parameters: readonly string[]) {
  const named = Object.keys(command.options).map((name) => [name, { type: 'string' as const }] as const);
  const everywhere = { json: { type: 'boolean' as const }, help: { type: 'boolean' as const, short: 'h' } };
  try {
    return parseArgs({
      args: [...parameters],
      options: { ...Object.fromEntries(named), ...everywhere },
      allowPositionals: true,
    });
  } catch (cause) {
    // parseArgs throws a TypeError whose first sentence names the option; the rest is advice for programmers.
    const message = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : '';
    throw new UsageError(`${message}.`, { cause });
  }
}

function nameOperands(command: Command, given: readonly string[]): Record<string, string> {
  const missing = command.operands.slice(given.length);
  if (missing.length > 0)
    throw new UsageError(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`);
  const extra = given.slice(command.operands.length);
  if (extra.length > 0) throw new UsageError(`Too many words: ${extra.join(' ')}.`);
  return Object.fromEntries(command.operands.map((name, index) => [name, given[index] ?? '']));
}

export function parseArguments(commands: readonly Command[], parameters: readonly string[]): ParsedArguments {
  const command = findCommand(commands, leadingWords(parameters));
  const { values, positionals } = readOptions(command, parameters);
  const { json, help, ...named } = values;
  const base = { command, isJson: json === true, isHelp: help === true };
  if (help === true) return { ...base, operands: {}, options: {} };

  const options = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)]));
  for (const [name, option] of Object.entries(command.options)) {
    if (option.isRequired === true && options[name] === undefined) throw new UsageError(`--${name} is missing.`);
  }
  return { ...base, operands: nameOperands(command, positionals.slice(command.words.length)), options };
}
