// Arguments are checked before anything is called: mistakes get a clear message, the usage and exit code 2, and every
// command has help. Nothing listens at the address, so a call would end with exit code 1.

import { describe, expect, test } from 'vitest';
import { findCommand, leadingWords, parseArguments } from './arguments.ts';
import { allCommands } from './commands/all.ts';
import { runCli } from './run.ts';

async function run(...parameters: string[]) {
  const printed: string[] = [];
  const complained: string[] = [];
  const code = await runCli({
    commands: allCommands,
    parameters,
    environment: { TOLLGATE_URL: 'http://127.0.0.1:9', TOLLGATE_ADMIN_TOKEN: 'token' },
    terminal: { print: (text) => printed.push(text), printError: (text) => complained.push(text) },
  });
  return { code, printed: printed.join('\n'), complained: complained.join('\n') };
}

describe('misuse is told before any call', () => {
  test.each([
    [[], 'Usage: tollgate'],
    [['users'], 'There is no command users. Did you mean user?'],
    [['usr', 'show', 'usr-1'], 'Did you mean user show?'],
    [['xyz'], 'There is no command xyz.\n'],
    [['user'], 'user needs another word. There are user create, user list'],
    [['user', 'delete', 'x'], 'There is no command user delete. There are user create, user list'],
    [['user', 'lsit'], 'Did you mean user list?'],
    [['health', 'rotues'], 'Did you mean health routes?'],
    [['user', 'create'], 'EMAIL is missing.\nUsage: tollgate user create EMAIL [--name TEXT]\n'],
    [['credit'], 'USER_ID and AMOUNT are missing.'],
    [['user', 'create', 'a@example.com', 'Ann'], 'Too many words: Ann.'],
    [['user', 'create', 'a@example.com', '--nmae', 'Ann'], "Unknown option '--nmae'. Did you mean --name?"],
    [['user', 'create', 'a@example.com', '--name'], "Option '--name <value>' argument missing"],
    [['key', 'create', 'usr-1'], '--name is missing.'],
    [['key', 'create', 'usr-1', '--name', 'x', '--type', 'root'], '--type is standard or management.'],
    [['credit', 'usr-1', '-5'], 'AMOUNT is in USD'],
    [['adjust', 'usr-1', '--5', '--reason', 'x'], 'Unknown option'],
    [['adjust', 'usr-1', '-0', '--reason', 'x'], 'AMOUNT is in USD'],
    [['adjust', 'usr-1', '-5'], '--reason is missing.'],
    [['credit', 'usr-1', '0'], 'AMOUNT is in USD'],
    [['credit', 'usr-1', '1e3'], 'AMOUNT is in USD'],
    [['credit', 'usr-1', '0.0000000001'], 'AMOUNT is in USD'],
    [['org', 'credit', 'org-1', '0'], 'AMOUNT is in USD'],
    [['org', 'terms', 'org-1'], 'Say --plan, --line or --seats.'],
    [['org', 'terms', 'org-1', '--seats', 'many'], '--seats is a whole number'],
    [['credit', 'usr-1', '1', '--reference', 'line\nbreak'], '--reference is'],
    [['brake', 'set'], 'Say --enabled, --minute or --hour.'],
    [['brake', 'set', '--enabled', 'true'], '--enabled is yes or no.'],
    [['auto', 'set', 'paid', 'codign', '--enabled', 'yes'], 'Did you mean coding?'],
    [['completion', 'csh'], 'SHELL is bash, zsh or fish.'],
    [['orders', '--state', 'open'], '--state is created, expired, paying or paid.'],
    [['usage', 'rebuild', '--from', '2026-02-30', '--to', '2026-03-01'], '--from is a date'],
    [['usage', 'rebuild', '--from', '2026-03-02', '--to', '2026-03-01'], '--to must not be before --from.'],
    [['org', 'terms', 'org-1', '--plan', 'weekly'], '--plan is prepaid or monthly.'],
    [['org', 'create', 'Acme', 'usr-1', '--line', 'much'], '--line is in USD'],
    [['org', 'statement', 'org-1', 'February'], 'MONTH is YYYY-MM, not February.'],
    [['sim', '--port', '70000'], '--port is a number'],
  ])('%j', async (parameters, complaint) => {
    const { code, complained, printed } = await run(...parameters);
    expect(`${complained}\n`).toContain(complaint);
    expect({ code, printed }).toEqual({ code: 2, printed: '' });
  });
});

test('every example is a line of its own command', () => {
  for (const command of allCommands) {
    const words = [...command.example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, inQuotes, bare]) => inQuotes ?? bare ?? '');
    expect(findCommand(allCommands, leadingWords(words)), command.example).toBe(command);
    expect(() => parseArguments(allCommands, command, words)).not.toThrow();
  }
});

test('help names every command, and each command explains itself', async () => {
  const { printed } = await run('--help');
  for (const command of allCommands) expect(printed).toContain(command.words.join(' '));
  expect((await run('key', 'create', '--help')).printed).toContain('--name TEXT');
  expect((await run('help', 'key', 'create')).printed).toContain('  tollgate key create usr-1 --name laptop');
  expect((await run('key', '--help')).printed).toContain('key revoke KEY_ID');
  expect((await run('health', '--help')).printed).toContain('health routes');
  expect(await run('nothing', '--help')).toMatchObject({ code: 2, printed: '' });
  expect(await run('--version')).toMatchObject({ code: 0, printed: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});
