// Turns the words of the command line into a command and its checked input. Commands of two words and of one share the
// table, so the longest match wins. An error suggests what was probably meant.

import { parseArgs } from 'node:util';
import { type Command, phraseOf, UsageError } from './command.ts';
import { nearest } from './nearest.ts';

type ParsedArguments = Readonly<{
  operands: Readonly<Record<string, string>>;
  options: Readonly<Record<string, string | undefined>>;
  isJson: boolean;
}>;

const EVERYWHERE = {
  json: { type: 'boolean' as const },
  help: { type: 'boolean' as const, short: 'h' },
};
const EVERYWHERE_WORDS: readonly string[] = ['--json', '--help', '-h'];

/** The words before the first option that takes a value: the command's name, and perhaps operands. */
export function leadingWords(parameters: readonly string[]): string[] {
  const words = parameters.filter((parameter) => !EVERYWHERE_WORDS.includes(parameter));
  const firstOption = words.findIndex((word) => word.startsWith('-'));
  return words.slice(0, firstOption === -1 ? undefined : firstOption);
}

export const commandsOfGroup = (commands: readonly Command[], word: string | undefined): readonly Command[] =>
  commands.filter((command) => command.words[0] === word);

/** Null when these words are no command. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command | null {
  const matching = commands.filter((command) => command.words.every((word, index) => words[index] === word));
  const [best] = matching.sort((left, right) => right.words.length - left.words.length);
  return best ?? null;
}

export function unknownCommand(commands: readonly Command[], words: readonly string[]): UsageError {
  const [first = '', second] = words;
  const group = commandsOfGroup(commands, first);
  if (group.length > 0) {
    const begun = group.map((command) => command.words[1] ?? '');
    const meant = second === undefined ? null : nearest(second, begun);
    const there = `There ${group.length === 1 ? 'is' : 'are'} ${group.map(phraseOf).join(', ')}.`;
    if (second === undefined) return new UsageError(`${first} needs another word. ${there}`);
    const hint = meant === null ? there : `Did you mean ${first} ${meant}?`;
    return new UsageError(`There is no command ${first} ${second}. ${hint}`);
  }
  // A second word that exists decides: `usr show` is `user show`, and `users list` is `user list`.
  const phrases = commands.map(phraseOf);
  const starts = [...new Set(commands.map((command) => command.words[0] ?? ''))];
  const meant = nearest(`${first} ${second ?? ''}`.trim(), phrases) ?? nearest(first, starts);
  return new UsageError(`There is no command ${first}.${meant === null ? '' : ` Did you mean ${meant}?`}`);
}

/** A negative amount is not an option; the mark keeps it from being read as one. */
const NUMBER_BELOW_ZERO = /^-\.?\d/;
const MARK = '\0';
const unmarked = (text: string): string => (text.startsWith(MARK) ? text.slice(MARK.length) : text);

function readOptions(command: Command, parameters: readonly string[]) {
  const named = Object.entries(command.options).map(
    ([name, { value }]) => [name, { type: value === undefined ? ('boolean' as const) : ('string' as const) }] as const,
  );
  try {
    return parseArgs({
      args: parameters.map((parameter) => (NUMBER_BELOW_ZERO.test(parameter) ? MARK + parameter : parameter)),
      options: { ...Object.fromEntries(named), ...EVERYWHERE },
      allowPositionals: true,
    });
  } catch (cause) {
    throw new UsageError(optionComplaint(command, cause), { cause });
  }
}

/** parseArgs throws a TypeError whose first sentence names the option; the rest is advice for programmers. */
function optionComplaint(command: Command, cause: unknown): string {
  const sentence = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : '';
  const typed = /^Unknown option '--([^']+)'/.exec(sentence)?.[1];
  const meant = typed === undefined ? null : nearest(typed, [...Object.keys(command.options), 'json', 'help']);
  return meant === null ? `${sentence}.` : `${sentence}. Did you mean --${meant}?`;
}

function nameOperands(command: Command, given: readonly string[], commands: readonly Command[]) {
  const missing = command.operands.slice(given.length);
  if (missing.length > 0) {
    throw new UsageError(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`);
  }
  const extra = given.slice(command.operands.length);
  if (extra.length > 0) {
    const siblings = commandsOfGroup(commands, command.words[0]).flatMap(({ words }) => words[1] ?? []);
    const meant = command.words.length > 1 ? null : nearest(extra[0] ?? '', siblings);
    const hint = meant === null ? '' : ` Did you mean ${command.words[0]} ${meant}?`;
    throw new UsageError(`Too many words: ${extra.join(' ')}.${hint}`);
  }
  return Object.fromEntries(command.operands.map((name, index) => [name, given[index] ?? '']));
}

function checkChoice(name: string, value: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(value)) return;
  const meant = nearest(value, choices);
  const list = choices.length === 1 ? choices[0] : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  throw new UsageError(`${name} is ${list}.${meant === null ? '' : ` Did you mean ${meant}?`}`);
}

/** The input of a command that was found; `commands` is only for hints. */
export function parseArguments(
  commands: readonly Command[],
  command: Command,
  parameters: readonly string[],
): ParsedArguments {
  const { values, positionals } = readOptions(command, parameters);
  const { json, help: _, ...named } = values;
  const options = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, unmarked(String(value))]));
  const operands = nameOperands(command, positionals.slice(command.words.length).map(unmarked), commands);
  for (const [name, option] of Object.entries(command.options)) {
    const value = options[name];
    if (option.isRequired === true && value === undefined) throw new UsageError(`--${name} is missing.`);
    if (value !== undefined) checkChoice(`--${name}`, value, option.choices);
  }
  for (const [name, value] of Object.entries(operands)) checkChoice(name, value, command.operandChoices?.[name]);
  return { operands, options, isJson: json === true };
}
