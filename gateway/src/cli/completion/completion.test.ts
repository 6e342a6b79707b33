// The completion script in a real bash, asked as the shell asks it: the words so far and which of them is being typed.

import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../commands/all.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

/** The last word is the one being typed; it may be empty. */
const ASKED: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['tollgate us', ['usage', 'user']],
  ['tollgate user s', ['show', 'suspend']],
  ['tollgate health ', ['--help', '--json', 'history', 'routes']],
  ['tollgate key create usr-1 --n', ['--name']],
  ['tollgate key create usr-1 --type ', ['management', 'standard']],
  ['tollgate key create usr-1 --name ', []],
  ['tollgate org create Acme usr-1 --plan m', ['monthly']],
  ['tollgate completion ', ['bash', 'fish', 'zsh']],
  ['tollgate auto set f', ['free']],
  ['tollgate auto set --enabled yes paid cod', ['coding']],
  ['tollgate auto set paid coding ', ['--enabled', '--help', '--json', '--models']],
  ['tollgate apply gateway/src/cli/ma', ['gateway/src/cli/main.ts']],
  ['tollgate ledger check --j', ['--json']],
  ['tollgate nothing ', []],
];

describe('bash', () => {
  test('offers what can come next', () => {
    const questions = ASKED.map(([line]) => {
      const words = line.split(' ').map((word) => `'${word}'`);
      return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _tollgate; echo "\${COMPREPLY[*]}"`;
    });
    const script = [bashCompletion(allCommands), 'complete -p tollgate', ...questions].join('\n');
    const root = new URL('../../../../', import.meta.url);
    const answer = execFileSync('bash', ['--noprofile', '--norc', '-c', script], { encoding: 'utf8', cwd: root });
    const [registered, ...offers] = answer.split('\n').slice(0, -1);
    expect(registered).toBe('complete -F _tollgate tollgate');
    const told = offers.map((line) => line.split(' ').filter(Boolean).sort());
    expect(told.map((offered, index) => [ASKED[index]?.[0], offered])).toEqual(ASKED.map(([line, it]) => [line, it]));
  });
});

test.each([
  ['zsh', zshCompletion(allCommands), '#compdef tollgate'],
  ['fish', fishCompletion(allCommands), 'complete -c tollgate'],
])('the script for %s knows every word and option', (_, script, opening) => {
  expect(script).toContain(opening);
  for (const { words, options } of allCommands) {
    for (const word of words) expect(script).toContain(word);
    for (const name of Object.keys(options)) expect(script).toMatch(new RegExp(`(?:--|-l )${name}\\b`));
  }
});
