// The page docs/cli.md, made from the table of commands.

import { type Command, phraseOf } from './command.ts';
import { optionForm, optionSummary, usageLine } from './help.ts';

/** A bar would end the cell, so it is escaped. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

function table(heading: readonly [string, string], rows: readonly (readonly [string, string])[]): string[] {
  const all = [heading, ...rows].map(([left, right]) => [cell(left), cell(right)] as const);
  const width = (column: 0 | 1): number => Math.max(...all.map((row) => row[column].length));
  const lines = all.map(([left, right]) => `| ${left.padEnd(width(0))} | ${right.padEnd(width(1))} |`);
  return [lines[0] ?? '', `| ${'-'.repeat(width(0))} | ${'-'.repeat(width(1))} |`, ...lines.slice(1)];
}

function section(command: Command): string[] {
  const operands = Object.entries(command.operandChoices ?? {}).map(
    ([name, choices]) => [`\`${name}\``, `One of ${choices.join(', ')}.`] as const,
  );
  const options = Object.entries(command.options).map(
    ([name, option]) => [`\`${optionForm(name, option)}\``, optionSummary(option)] as const,
  );
  const rows = [...operands, ...options];
  return [
    `## ${phraseOf(command)}`,
    '',
    command.summary,
    '',
    '```',
    usageLine(command),
    '```',
    '',
    ...(rows.length === 0 ? [] : [...table(['word', 'meaning'], rows), '']),
    `For example: \`tollgate ${command.example}\``,
    '',
  ];
}

export function commandReference(commands: readonly Command[]): string {
  const overview = commands.map((command) => {
    const phrase = phraseOf(command);
    return [`[\`${phrase}\`](#${phrase.replaceAll(' ', '-')})`, command.summary] as const;
  });
  return [
    '# The command line',
    '',
    'This page is made from the commands themselves. `npx tollgate` runs them in a checkout; `tollgate` stands for it here. Most of them are calls of the [operator API](operations.md#the-operator-api).',
    '',
    '`TOLLGATE_URL` says where the gateway is, and `TOLLGATE_ADMIN_TOKEN` is the operator token; without them, the address and the token in the data folder are used (`TOLLGATE_DATA_DIR`, `./data` unless set). Every command takes `--help`, and `--json`, which prints JSON for scripts instead of a table for people. Wherever the id of a user is wanted, their address does as well. At a terminal what takes long shows its progress, and tables fit into its width. Exit codes: 0 done, 1 refused or failed, 2 misused.',
    '',
    'Completion, for bash: `source <(npx tollgate completion bash)`, with `alias tollgate="npx tollgate"` where it is not on the path.',
    '',
    ...table(['command', 'what it does'], overview),
    '',
    ...commands.flatMap(section),
  ].join('\n');
}
