// Help texts, made from the table of commands so that they cannot disagree with it.

import { type Command, type CommandOption, phraseOf } from './command.ts';

export function usageLine(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) =>
    option.isRequired === true ? optionForm(name, option) : `[${optionForm(name, option)}]`,
  );
  return ['tollgate', ...command.words, ...command.operands, ...options].join(' ');
}

/** As it is typed. */
export const optionForm = (name: string, { value }: CommandOption): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

/** The description of an option, with its values where they are few and fixed. */
export function optionSummary({ value, summary, choices }: CommandOption): string {
  if (choices === undefined || value === choices.join('|')) return summary;
  return `${summary} One of ${choices.join(', ')}.`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`);
}

/** `siblings` are the commands that begin with this one's word. */
export function commandHelp(command: Command, siblings: readonly Command[]): string {
  const operands = Object.entries(command.operandChoices ?? {}).map(
    ([name, choices]) => [name, `One of ${choices.join(', ')}.`] as const,
  );
  const options = Object.entries(command.options).map(
    ([name, option]) => [optionForm(name, option), optionSummary(option)] as const,
  );
  return [
    `Usage: ${usageLine(command)}`,
    '',
    command.summary,
    '',
    ...columns([...operands, ...options, ['--json', 'Print JSON for scripts.']]),
    '',
    'Example:',
    `  tollgate ${command.example}`,
    ...(siblings.length === 0 ? [] : ['', 'Further commands:', ...listOf(siblings)]),
  ].join('\n');
}

const listOf = (commands: readonly Command[]): string[] =>
  columns(commands.map((command) => [[...command.words, ...command.operands].join(' '), command.summary] as const));

/** The commands that begin with the same word. */
export function groupHelp(commands: readonly Command[]): string {
  const [first] = commands;
  const word = first?.words[0] ?? '';
  const example = first === undefined ? word : phraseOf(first);
  return [
    `Usage: tollgate ${word} COMMAND [--json] [--help]`,
    '',
    ...listOf(commands),
    '',
    `tollgate ${example} --help tells more.`,
  ].join('\n');
}

export function overallHelp(commands: readonly Command[]): string {
  return [
    'Usage: tollgate COMMAND [--json] [--help]',
    '',
    ...listOf(commands),
    '',
    'tollgate COMMAND --help tells more, with an example. Tables are for people and --json is for scripts.',
    "Wherever a user's id is wanted, their address does as well.",
    '',
    'TOLLGATE_URL says where the gateway is, and TOLLGATE_ADMIN_TOKEN is the operator token; without them, those in',
    'the data folder are used (TOLLGATE_DATA_DIR, ./data unless set). Exit codes: 0 done, 1 refused or failed,',
    '2 misused.',
  ].join('\n');
}
