// A function of a namespace keeps both of its names on the way through a format that knows only one.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { readToolNames } from './tool-names.ts';

const named = (name: string): JsonObject => ({ type: 'function', name, parameters: {} });
const space = (name: string, ...tools: JsonObject[]): JsonObject => ({ type: 'namespace', name, tools });

describe('names', () => {
  test('plain ones stay, and those of a namespace are joined and taken apart again', () => {
    const names = readToolNames({ tools: [named('exec_command'), space('clock', named('sleep'))] });
    expect([...names.functions.keys()]).toEqual(['exec_command', 'clock__sleep']);
    expect(names.split('clock__sleep')).toEqual({ namespace: 'clock', name: 'sleep' });
    expect(names.join({ namespace: 'clock', name: 'sleep' })).toBe('clock__sleep');
    expect(names.split('exec_command')).toEqual({ namespace: null, name: 'exec_command' });
  });

  test('a namespace that ends with the separator gets no second one', () => {
    const names = readToolNames({ tools: [space('mcp__files__', named('read'))] });
    expect(names.split('mcp__files__read')).toEqual({ namespace: 'mcp__files__', name: 'read' });
  });

  test('a joined name that is too long or taken gets one of its own', () => {
    const long = 'n'.repeat(60);
    const names = readToolNames({
      tools: [named('a__b'), space('a', named('b')), space(long, named('first')), space(long, named('second'))],
    });
    const offered = [...names.functions.keys()];
    expect(new Set(offered).size).toBe(4);
    for (const name of offered) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(names.split('a__b')).toEqual({ namespace: null, name: 'a__b' });
    const taken = names.join({ namespace: 'a', name: 'b' });
    expect(names.split(taken)).toEqual({ namespace: 'a', name: 'b' });
    for (const name of ['first', 'second']) {
      expect(names.split(names.join({ namespace: long, name }))).toEqual({ namespace: long, name });
    }
  });

  test('tools of an input item are there too, and the later definition of the same function counts', () => {
    const later = { ...named('run'), description: 'later' };
    const names = readToolNames({ tools: [named('run')], input: [{ type: 'additional_tools', tools: [later] }] });
    expect(names.functions.get('run')?.definition).toBe(later);
  });

  test('a name that nobody offered is left as it is', () => {
    expect(readToolNames({}).split('anything__else')).toEqual({ namespace: null, name: 'anything__else' });
  });
});
