// The grammar of commands, and that the README knows every one of them.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMAND_RULES } from './command-rules.ts';
import { commandTextIn, mergeCommands, parseCommands, travelsPlainly, UnknownCommandError } from './commands.ts';

describe('grammar', () => {
  test.each(['tokens-10-5+chunks-3', 'tokens-10-5_chunks-3', 'tokens-10-5, chunks-3', 'TOKENS-10-5 chunks-3'])(
    '%s',
    (text) => {
      expect(parseCommands(text)).toEqual({ promptTokens: 10, completionTokens: 5, chunks: 3 });
    },
  );

  test('the longer of two commands that begin alike is not mistaken for the shorter', () => {
    expect(parseCommands('reset')).toEqual({ connection: 'reset' });
    expect(parseCommands('reset-after-3')).toEqual({ ending: { action: 'reset', position: 3 } });
    expect(parseCommands('reset-after-usage')).toEqual({ ending: { action: 'reset', position: 'after-usage' } });
    expect(parseCommands('stall-in-headers')).toEqual({ connection: 'stall-in-headers' });
  });

  test.each(['', '+', '  '])('nothing is no command: %j', (text) => {
    expect(parseCommands(text)).toEqual({});
  });

  test.each(['fly', 'status', 'status-42', 'tokens-1', 'chunks--1', 'delay-99999999999'])('%s is refused', (text) => {
    expect(() => parseCommands(text)).toThrow(UnknownCommandError);
  });

  test('several frame styles add up, everything else is overridden', () => {
    const merged = mergeCommands(parseCommands('crlf+status-500'), parseCommands('comments+status-503'));
    expect(merged).toEqual({ styles: ['crlf', 'comments'], status: 503 });
  });
});

describe('where commands stand in a model name', () => {
  test.each([
    ['sim-reset', 'reset'],
    ['gpt-x.sim-reset', 'reset'],
    ['acme/gpt-x-sim-status-503+empty', 'status-503+empty'],
    ['gpt-x', undefined],
    ['simulated-small', undefined],
    ['maxim-reset', undefined],
  ])('%s', (model, text) => {
    expect(commandTextIn(model)).toBe(text);
  });
});

test('what changes the way and not the words does not travel plainly', () => {
  expect(travelsPlainly(parseCommands('tokens-1-1+chunks-9+usage-zero+provider'))).toBe(true);
  for (const command of ['crlf', 'status-500', 'gzip', 'reset', 'invalid-utf8', 'endless', 'chunked', 'wait-1']) {
    expect(travelsPlainly(parseCommands(command)), command).toBe(false);
  }
});

test('the README lists every command', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8').replaceAll('\\|', '|');
  for (const { form } of COMMAND_RULES) {
    for (const part of form.split(' | ')) {
      expect(readme, part).toContain(`\`${part.replace(/ \(.*/, '').trim()}`);
    }
  }
});
