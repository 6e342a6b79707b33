// Clients know five reasons. Every word of an upstream becomes one of them, and the original word is kept beside it.

import { expect, test } from 'vitest';
import { mapFinishReason } from './map-finish-reason.ts';

function map(finish_reason: unknown, more: object = {}) {
  const choice: { [key: string]: unknown } = { finish_reason, ...more };
  mapFinishReason(choice);
  return choice;
}

test('CHAT-34 CHAT-35 AMB-23 a known reason passes untouched, without a native one', () => {
  for (const reason of ['stop', 'length', 'tool_calls', 'content_filter', 'error']) {
    expect(map(reason)).toEqual({ finish_reason: reason });
  }
  expect(map('stop', { native_finish_reason: null })).toEqual({ finish_reason: 'stop', native_finish_reason: null });
});

test('CHAT-34 CHAT-35 a foreign reason is mapped and kept', () => {
  const rows = {
    end_turn: 'stop',
    MAX_TOKENS: 'length',
    tool_use: 'tool_calls',
    SAFETY: 'content_filter',
    eos: 'stop',
  };
  for (const [native, reason] of Object.entries(rows)) {
    expect(map(native)).toEqual({ finish_reason: reason, native_finish_reason: native });
  }
  expect(map('end_turn', { native_finish_reason: 'END' })).toEqual({
    finish_reason: 'stop',
    native_finish_reason: 'END',
  });
});

test('CHAT-34 what is no word is no reason', () => {
  const hostile = [undefined, null, '', 5, {}, [], JSON.parse('{"toString":1,"valueOf":1}')];
  for (const reason of hostile) expect(map(reason)).toEqual({ finish_reason: null });
  for (const reason of ['constructor', '__proto__', 'toString']) expect(map(reason).finish_reason).toBe('stop');
});
