// `auto:free` costs nothing within the quotas of its models, looks for a model with quota left, and is limited by the
// address of the caller.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../harness.ts';
import { errorOf, FreeBed, freeModel, outcomeOf, paidModel, tally } from './free-bed.ts';

const SIMPLE = 'What is the capital of Peru?';
const ADDRESS_HEADER = 'x-client';

let bed: FreeBed;

beforeAll(async () => {
  const tiers = {
    simple: { models: ['acme/listed', 'acme/second', 'acme/third'] },
    coding: { models: ['acme/broken', 'acme/fourth'] },
  };
  bed = await FreeBed.open({
    models: {
      // Free only because of the table, and then with the specification's figures.
      'acme/listed': paidModel,
      'acme/second': freeModel(1, 100),
      'acme/broken': freeModel(1000, 1000, 'html'),
      'acme/third': freeModel(1, 100),
      'acme/fourth': freeModel(1, 100),
    },
    document: {
      auto: { free: tiers, paid: { simple: { models: ['acme/listed'] } } },
      limits: {
        free_requests_per_minute: 100000,
        paid_requests_per_minute: 100000,
        auto_free_ip_requests_per_minute: 14,
        auto_free_ip_requests_per_day: 16,
      },
    },
    env: { TOLLGATE_CLIENT_IP_HEADER: ADDRESS_HEADER, TOLLGATE_TRUSTED_PROXIES: '127.0.0.0/8' },
  });
});

afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await bed.close();
});

const ask = (key: string, address: string, model = 'auto:free', content = SIMPLE): Promise<Answer> =>
  bed.chat(key, model, { [ADDRESS_HEADER]: address }, { messages: [{ role: 'user', content }] });

const seen = (answer: Answer): string => `${answer.body.model ?? ''} ${outcomeOf(answer)}`.trim();

test('AUTO-01 AUTO-08 FREE-05 free without credit, then by the next model that has some left, then refused', async () => {
  const { key } = await bed.harness.account(0);
  const answers: string[] = [];
  for (let call = 0; call < 13; call += 1) answers.push(seen(await ask(key, `192.0.2.${call}`)));
  expect(answers).toEqual([...Array(10).fill('acme/listed free'), 'acme/second free', 'acme/third free', '429']);
});

test('AUTO-08 FREE-09 whoever has credit goes on at the price of the first model; by its own name it was never free', async () => {
  const { key } = await bed.harness.account(5);
  for (let call = 0; call < 12; call += 1) expect(outcomeOf(await ask(key, `192.0.2.${call + 20}`))).toBe('free');
  expect(seen(await ask(key, '192.0.2.40'))).toBe('acme/listed paid rpm');
  expect(outcomeOf(await bed.chat(key, 'acme/listed'))).toBe('paid');
  expect(outcomeOf(await ask(key, '192.0.2.41', 'auto'))).toBe('paid');
});

test('AUTO-04 AUTO-08 when a model of the tier fails, the next one is free too', async () => {
  const { key } = await bed.harness.account(0);
  const code = 'Write a Python function that parses a JSON file and add unit tests.';
  expect(seen(await ask(key, '192.0.2.50', 'auto:free', code))).toBe('acme/fourth free');
});

test('AUTO-09 an address has its own limit, for all users together and whatever they could pay', async () => {
  const users = await Promise.all([bed.harness.account(5), bed.harness.account(5)]);
  const [first, second] = users.map(({ key }) => key) as [string, string];
  const from = (key: string) => ask(key, '198.51.100.7');
  const served = await Promise.all(Array.from({ length: 20 }, (_, index) => from(index % 2 === 0 ? first : second)));
  expect(served.filter(({ status }) => status === 200)).toHaveLength(14);
  const refused = await from(first);
  expect([refused.status, errorOf(refused).code, refused.headers.get('retry-after')]).toEqual([429, 429, '60']);
  expect(String(errorOf(refused).message)).toContain('address');
  expect(outcomeOf(await ask(first, '198.51.100.8'))).not.toBe('429');
  // Two are left of the day; a network of IPv6 addresses counts as one address.
  bed.clock.set('2026-03-10T12:01:00Z');
  expect([outcomeOf(await from(first)), outcomeOf(await from(second)), outcomeOf(await from(second))]).toEqual([
    'free',
    'free',
    '429',
  ]);
  const others = await Promise.all([bed.harness.account(0), bed.harness.account(0)]);
  const wide = Array.from({ length: 15 }, (_, index) =>
    ask(others[index % 2]?.key ?? '', `2001:db8:0:1::${index + 1}`),
  );
  expect(tally(await Promise.all(wide))).toEqual({ free: 14, '429': 1 });
});
