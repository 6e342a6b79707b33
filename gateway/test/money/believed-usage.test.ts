// An upstream's usage is believed when something in the call explains it, and then charged in full. Usage that nothing
// explains is charged up to what was held, and the operator is told of the rest.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, configDocument, type Harness, type Json, startHarness } from '../harness.ts';

/** USD per million. The others are at 1 and 2. */
const WISE = { prompt: '10', completion: '50' };

const COMMANDS: Readonly<Record<string, string>> = {
  'chat/apart': 'tokens-20-50+apart-30000',
  'chat/reasoning': 'tokens-20-30050+reasoning-hidden-30000',
  'chat/audio': 'tokens-20-50+audio-beside-375',
  'chat/chatty': 'tokens-20-30050',
  'messages/searching': 'tokens-150000-50',
  'messages/summarized': 'tokens-220-8+summary-55000-125',
  'messages/advised': 'tokens-100-20+advice-2500-30-sim-wise',
  'messages/ill-advised': 'tokens-100-20+advice-2500-30-stranger',
  'messages/replaced': 'tokens-100-20+substitute-sim-wise',
  'messages/misplaced': 'tokens-100-20+substitute-stranger',
};

const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 1 };

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
  const models: Record<string, { routes: object[] }> = {};
  for (const [id, commands] of Object.entries(COMMANDS)) {
    const provider = id.startsWith('chat/') ? 'sim' : 'native';
    models[id] = { routes: [{ provider, upstream_model: `sim-${commands}` }] };
  }
  const wise = { routes: [{ provider: 'native', upstream_model: 'sim-wise' }], entry: { pricing: WISE } };
  const document = configDocument(harness.simulator.url, { models: { ...models, 'native/wise': wise } });
  const providers = document.providers as Json;
  providers.native = { ...(providers.sim as Json), protocol: 'anthropic' };
  await harness.operate('PUT', '/admin/v1/config', document);
});
afterEach(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});
afterAll(() => harness.close());

const KINDS = ['whole', 'streamed'] as const;

type Caller = Readonly<{ key: string; userId: string }>;

/** The cost that the client was told, from the text of its answer in any form. */
function toldCost({ text }: Answer): number {
  return Number(/"(?:tollgate_)?cost":([0-9.e-]+)/.exec(text)?.[1]);
}

async function ask(caller: Caller, model: string, kind: (typeof KINDS)[number], more: Json = {}): Promise<number> {
  const messages = [{ role: 'user', content: 'Say hello.' }];
  const path = model.startsWith('chat/') ? '/v1/chat/completions' : '/v1/messages';
  const body = { model, messages, max_tokens: 50, stream: kind === 'streamed', ...more };
  const answer = await harness.request('POST', path, { key: caller.key, body });
  expect(answer.status, answer.text).toBe(200);
  const cost = toldCost(answer);
  expect(await harness.spent(caller.key)).toBeCloseTo(cost, 12);
  return cost;
}

/** By reason. */
async function absorbedOf({ userId }: Caller): Promise<Record<string, number>> {
  const { users } = (await harness.operate('GET', '/admin/v1/absorbed')) as { users: AbsorbedUser[] };
  const reasons = users.find((user) => user.userId === userId)?.reasons ?? [];
  return Object.fromEntries(reasons.map(({ reason, absorbedUsd }) => [reason, absorbedUsd]));
}

type AbsorbedUser = { userId: string; reasons: { reason: string; absorbedUsd: number }[] };

async function doubtfulCharges(): Promise<number> {
  const { text } = await harness.request('GET', '/metrics', { key: ADMIN_TOKEN });
  return Number(/^tollgate_doubtful_charges_total (\d+)$/m.exec(text)?.[1]);
}

describe.each(KINDS)('a %s answer', (kind) => {
  test.each([
    ['BILL-10 30,000 tokens of thinking that show only in the total, beside max_tokens 50', 'chat/apart', {}, 0.06012],
    ['BILL-10 30,000 tokens of thinking that are stated, beside max_tokens 50', 'chat/reasoning', {}, 0.06012],
    ['BILL-06 sound that was counted beside the prompt', 'chat/audio', {}, 0.000495],
    ['BILL-06 150,000 tokens of search results', 'messages/searching', { tools: [SEARCH] }, 0.1501],
    ['BILL-06 a turn that summarized the conversation', 'messages/summarized', {}, 0.055486],
    ['BILL-06 the word of an adviser, at its price', 'messages/advised', {}, 0.02664],
    ['BILL-06 the answer of whoever stood in, at its price', 'messages/replaced', {}, 0.002],
  ] as const)('%s is charged in full', async (_, model, more, cost) => {
    const caller = await harness.account(1);
    const before = await doubtfulCharges();
    expect(await ask(caller, model, kind, more)).toBe(cost);
    expect(await absorbedOf(caller)).toEqual({});
    expect(await doubtfulCharges()).toBe(before);
  });

  test('BILL-02 what is explained is charged as far as the balance carries', async () => {
    const caller = await harness.account('0.09');
    const cost = await ask(caller, 'messages/searching', kind, { tools: [SEARCH] });
    expect(cost).toBe(0.09);
    expect(await absorbedOf(caller)).toEqual({ exhausted: 0.0601 });
  });

  test('USG-1 a prompt of 150,000 tokens without a search is charged up to the hold, and the operator is told', async () => {
    await expectDoubt('messages/searching', kind, 0.1501);
  });

  test('USG-1 a turn of a model that has no price: advice is not charged, a stand-in at the called price', async () => {
    const advised = await harness.account(1);
    const before = await doubtfulCharges();
    expect(await ask(advised, 'messages/ill-advised', kind)).toBe(0.00014);
    expect(await absorbedOf(advised)).toEqual({ unpriced_turn: 0.00256 });
    const replaced = await harness.account(1);
    expect(await ask(replaced, 'messages/misplaced', kind)).toBe(0.00014);
    expect(await doubtfulCharges()).toBe(before + 2);
  });
});

test('USG-1 30,050 tokens of plain output beside max_tokens 50 are charged up to the hold', async () => {
  await expectDoubt('chat/chatty', 'whole', 0.06012);
});

async function expectDoubt(model: string, kind: (typeof KINDS)[number], claimed: number): Promise<void> {
  const caller = await harness.account(1);
  const before = await doubtfulCharges();
  const cost = await ask(caller, model, kind);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeLessThan(claimed / 5);
  const { implausible } = await absorbedOf(caller);
  expect(implausible).toBeCloseTo(claimed - cost, 12);
  expect(await doubtfulCharges()).toBe(before + 1);
}
