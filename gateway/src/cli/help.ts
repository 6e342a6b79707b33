// Help texts, made from the table of commands so that they cannot disagree with it.

import type { Command } from './command.ts';

function synopsis(command: Command): string {
  const options = Object.entries(command.options).map(([name, { value, isRequired }]) =>
    isRequired === true ? `--${name} ${value}` : `[--${name} ${value}]`,
  );
  return ['tollgate', ...command.words, ...command.operands, ...options].join(' ');
}

export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, { value, summary }]) => [`--${name} ${value}`, summary]);
  const rows = [...options, ['--json', 'Print JSON for scripts.']];
  const width = Math.max(...rows.map(([name]) => name?.length ?? 0));
  const lines = rows.map(([name, summary]) => `  ${(name ?? '').padEnd(width)}  ${summary}`);
  return [`Usage: ${synopsis(command)}`, '', command.summary, '', ...lines].join('\n');
}

export function overallHelp(commands: readonly Command[]): string {
  const names = commands.map((command) => [...command.words, ...command.operands].join(' '));
  const width = Math.max(...names.map((name) => name.length));
  const lines = commands.map((command, index) => `  ${(names[index] ?? '').padEnd(width)}  ${command.summary}`);
  return [
    'Usage: tollgate COMMAND [--json] [--help]',
    '',
    ...lines,
    '',
    'TOLLGATE_URL says where the gateway is (http://127.0.0.1:4100 unless set). TOLLGATE_ADMIN_TOKEN is the',
    'operator token; without it, the one in the data folder is used.',
  ].join('\n');
}
