// Every spelling a caller may use ends at one model or at an error that says why. A name that could mean two models
// must mean neither, because the two have different prices.

import { describe, expect, test } from 'vitest';
import { SAMPLE, snapshotOf } from '../../../test/catalog/sample-catalog.ts';
import { ApiError } from '../../errors/api-error.ts';
import { autoTableOf, resolve } from './resolve.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const snapshot = snapshotOf(SAMPLE);

const chat = (name: string, nowMs = NOW) => resolve(snapshot, name, { allowBareName: true, nowMs });
const elsewhere = (name: string) => resolve(snapshot, name, { allowBareName: false, nowMs: NOW });

function errorOf(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('it resolved');
}

describe('names that resolve', () => {
  test.each([
    ['ROUTE-01 a full id', 'openai/gpt-x', 'openai/gpt-x'],
    ['ROUTE-02 the first auto-prefix', 'gpt-x', 'openai/gpt-x'],
    ['ROUTE-02 the second auto-prefix', 'claude-sonnet-4.5', 'anthropic/claude-sonnet-4.5'],
    ['ROUTE-05 a suffix with a model of its own', 'openai/gpt-x:extended', 'openai/gpt-x:extended'],
    ['ROUTE-05 a suffix without one', 'openai/gpt-x:thinking', 'openai/gpt-x'],
    ['ROUTE-05 another suffix without one', 'anthropic/claude-sonnet-4.5:exacto', 'anthropic/claude-sonnet-4.5'],
    ['ROUTE-05 an auto-prefixed name with a suffix', 'gpt-x:extended', 'openai/gpt-x:extended'],
    ['ROUTE-08 :free without a free tier', 'anthropic/claude-sonnet-4.5:free', 'anthropic/claude-sonnet-4.5'],
    ['ROUTE-21 the client prefix before an id', 'tollgate/openai/gpt-x', 'openai/gpt-x'],
    ['ROUTE-21 the client prefix before a short name', 'tollgate/claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
    ['ROUTE-22 hyphens for dots', 'anthropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
    ['ROUTE-22 hyphens for dots, short', 'claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
    ['ROUTE-22 an exact spelling beside a similar one', 'other/twin-1-0', 'other/twin-1-0'],
    ['ROUTE-22 dots for hyphens', 'openai/gpt.x', 'openai/gpt-x'],
    ['ROUTE-22 the other exact spelling', 'other/twin-1.0', 'other/twin-1.0'],
    ['a shortcut is stripped before matching', 'openai/gpt-x:extended:floor', 'openai/gpt-x:extended'],
  ])('%s: %s', (_title, name, id) => {
    expect(elsewhere(name).model.id).toBe(id);
    expect(chat(name).model.id).toBe(id);
  });

  test('ROUTE-03 an unambiguous bare name counts on chat alone', () => {
    expect(chat('solo-1.0').model.id).toBe('other/solo-1.0');
    expect(chat('solo-1-0:floor').model.id).toBe('other/solo-1.0');
    expect(errorOf(() => elsewhere('solo-1.0'))).toMatchObject({ code: 'unknown_model', status: 400 });
  });

  test('shortcuts are reported once each', () => {
    expect(chat('openai/gpt-x:floor:nitro:online:floor').shortcuts).toEqual(['floor', 'nitro', 'online']);
    expect(chat('openai/gpt-x').shortcuts).toEqual([]);
  });

  test('ROUTE-08 the free variant is reported where there is a free tier', () => {
    expect(chat('openai/gpt-x:free')).toMatchObject({ model: { id: 'openai/gpt-x' }, isFreeVariant: true });
    expect(chat('openai/gpt-x').isFreeVariant).toBe(false);
    expect(chat('anthropic/claude-sonnet-4.5:free').isFreeVariant).toBe(false);
  });

  test('a name that was resolved before costs no new value', () => {
    expect(chat('tollgate/gpt-x:nitro')).toBe(chat('tollgate/gpt-x:nitro'));
  });
});

describe('names that do not', () => {
  test.each([
    ['', 'invalid_model_id'],
    ['open ai//gpt', 'invalid_model_id'],
    ['openai/', 'invalid_model_id'],
    ['/gpt-x', 'invalid_model_id'],
    ['openai//gpt-x', 'invalid_model_id'],
    ['a/b/c', 'invalid_model_id'],
    ['openai/gpt-x:', 'invalid_model_id'],
    ['openai/gpt-x\u0000', 'invalid_model_id'],
    ['openai/gpt-x\n', 'invalid_model_id'],
    ['openai/ｇpt', 'invalid_model_id'],
    [`other/${'x'.repeat(195)}`, 'invalid_model_id'],
  ])('ERR-21 %j is malformed', (name, code) => {
    expect(errorOf(() => chat(name))).toMatchObject({ code, status: 400, type: 'invalid_request_error' });
  });

  test.each([
    'nosuch/model-x',
    'nosuch',
    'other/gpt-x',
    'other/solo-1.0:banana',
    'constructor',
    '__proto__/x',
    'tollgate/x',
  ])('ERR-20 %s is unknown', (name) => {
    expect(errorOf(() => chat(name))).toMatchObject({ code: 'unknown_model', status: 400 });
  });

  test('ROUTE-03 ROUTE-22 a name that could mean two models means neither', () => {
    expect(errorOf(() => chat('common'))).toMatchObject({ code: 'unknown_model', status: 400 });
    expect(errorOf(() => chat('other/twin.1.0')).message).toContain('several models');
  });

  test('ERR-26 what only a wildcard could route is refused for want of a price', () => {
    expect(errorOf(() => chat('openai/unheard-of'))).toMatchObject({ code: 'model_not_priced', status: 400 });
    expect(errorOf(() => chat('gpt-unheard-of'))).toMatchObject({ code: 'model_not_priced' });
    expect(errorOf(() => chat('other/unpriced'))).toMatchObject({ code: 'model_not_priced' });
  });

  test('ERR-26 the refusal names what was asked for, and not a model that is for sale', () => {
    expect(errorOf(() => chat('openai/gpt-x:typo')).message).toContain('openai/gpt-x:typo has no price');
    expect(errorOf(() => chat('gpt-x:typo:floor')).message).toContain('openai/gpt-x:typo has no price');
  });

  test('ERR-26 the global wildcard routes full ids and never rescues a bare name', () => {
    const open = snapshotOf(SAMPLE.replace('"openai/*": { provider: openai }', '"*": { provider: other }'));
    const ask = (name: string) => () => resolve(open, name, { allowBareName: true, nowMs: NOW });
    expect(errorOf(ask('any/thing'))).toMatchObject({ code: 'model_not_priced' });
    expect(errorOf(ask('thing'))).toMatchObject({ code: 'unknown_model' });
  });

  test('the message shows the name without its control characters, and not all of a long one', () => {
    const { message } = errorOf(() => chat(`a\u0000\u001b[31m"${'y'.repeat(500)}`));
    expect(message).toMatch(/^[\x20-\x7e]+$/);
    expect(message).toContain('a\\u0000\\u001b[31m\\"');
    expect(message.length).toBeLessThan(220);
  });
});

describe('retirement', () => {
  const lastMoment = Date.parse('2026-03-31T23:59:59.999Z');

  test('CAT-19 ERR-23 a model answers through its last day and is gone after it', () => {
    expect(chat('other/old', lastMoment).model.id).toBe('other/old');
    const error = errorOf(() => chat('other/old', lastMoment + 1));
    expect(error).toMatchObject({ code: 'model_retired', status: 410, type: 'model_not_available' });
  });

  test('CAT-19 a model that also left the document is remembered as retired, under any spelling', () => {
    const history = [{ id: 'other/gone-1.0', firstSeenAtMs: 0, deprecationDate: '2025-12-31' }];
    const later = snapshotOf(SAMPLE, history);
    const ask = (nowMs: number) => () => resolve(later, 'other/gone-1-0:floor', { allowBareName: false, nowMs });
    expect(errorOf(ask(NOW))).toMatchObject({ code: 'model_retired' });
    expect(errorOf(ask(Date.parse('2025-12-31T12:00:00Z')))).toMatchObject({ code: 'unknown_model' });
  });
});

test('AUTO-10 auto and auto:free are reserved, and mean no model by themselves', () => {
  expect(autoTableOf(snapshot, 'auto')).toBe('paid');
  expect(autoTableOf(snapshot, 'auto:free')).toBe('free');
  expect(autoTableOf(snapshot, 'tollgate/auto')).toBe('paid');
  expect(autoTableOf(snapshot, 'automatic')).toBeNull();
  expect(errorOf(() => chat('auto'))).toMatchObject({ code: 'model_endpoint_mismatch', status: 400 });
});

test('the names kept of a snapshot are bounded', () => {
  const fresh = snapshotOf(SAMPLE);
  const shortcuts = ['floor', 'nitro', 'online'];
  for (let count = 0; count < 10_500; count++) {
    const suffixes = Array.from({ length: 9 }, (_, place) => shortcuts[Math.floor(count / 3 ** place) % 3]);
    resolve(fresh, `openai/gpt-x:${suffixes.join(':')}`, { allowBareName: false, nowMs: NOW });
  }
  expect(fresh.resolutions.fullNames.size).toBeLessThanOrEqual(10_000);
  expect(fresh.resolutions.anyNames.size).toBe(0);
});
