// What can come next on a command line, as plain lists from which each shell's script is made.

import type { Command } from '../command.ts';

export const EVERYWHERE: readonly string[] = ['--json', '--help'];

type CompletedWord = Readonly<{ word: string; summary: string }>;

/** First words, each once; a word that begins several commands says so. */
export function firstWords(commands: readonly Command[]): CompletedWord[] {
  const words = [...new Set(commands.map((command) => command.words[0] ?? ''))];
  return words.map((word) => {
    const group = commands.filter((command) => command.words[0] === word);
    const [only] = group;
    const rest = group.flatMap((command) => command.words[1] ?? []).join(', ');
    return { word, summary: group.length === 1 && only?.words.length === 1 ? only.summary : rest };
  });
}

export function secondWords(commands: readonly Command[], first: string): CompletedWord[] {
  return commands
    .filter((command) => command.words[0] === first && command.words.length > 1)
    .map((command) => ({ word: command.words[1] ?? '', summary: command.summary }));
}

export const optionWords = (command: Command): string[] => Object.keys(command.options).map((name) => `--${name}`);

/** Options without a value, of all commands. */
export const flagWords = (commands: readonly Command[]): string[] => [
  ...new Set(
    commands.flatMap(({ options }) =>
      Object.entries(options).flatMap(([name, { value }]) => (value === undefined ? [`--${name}`] : [])),
    ),
  ),
];

/** What an operand may be: some words, a file, or anything. */
export function operandWords(command: Command, name: string): readonly string[] | 'files' {
  return name === 'FILE' ? 'files' : (command.operandChoices?.[name] ?? []);
}
