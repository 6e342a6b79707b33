// What a hostile customer can have delivered beyond what it pays: many calls at once on a small balance, without a
// limit or with a meaningless one. Everything is seen from outside, by what the clients got and what the books say.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateways, startTwoGateways } from '../caps/two-gateways.ts';
import type { Answer, Harness, Json } from '../harness.ts';

const PRICE = 75 / 1_000_000;
const dear = { pricing: { prompt: '0', completion: '75' }, max_completion_tokens: 64_000 };
const cheap = { pricing: { prompt: '0', completion: '10' }, max_completion_tokens: 64_000 };
const LONG = 'size-160000'; // 40,000 tokens

let gateways: Gateways;
let harness: Harness;

beforeAll(async () => {
  gateways = await startTwoGateways({
    models: {
      'acme/long': { commands: LONG, entry: dear },
      'acme/unstated': { commands: LONG, entry: { pricing: dear.pricing } },
      'acme/secret': { commands: 'reasoning-hidden-30000', entry: dear },
      'acme/slow': { commands: 'wait-4000', entry: { ...dear, supported_parameters: ['temperature'] } },
      'acme/short': { commands: 'size-4000', entry: { ...dear, supported_parameters: ['temperature'] } },
      'acme/pages': { commands: 'tokens-100000-50+wait-2000', entry: { pricing: { prompt: '10', completion: '10' } } },
      'acme/gpt-4o-mini': {
        commands: 'tokens-240845-50+wait-2000',
        entry: { pricing: { prompt: '2', completion: '2' } },
      },
      'acme/vision': { commands: 'tokens-1100-50+wait-2000', entry: { pricing: { prompt: '3', completion: '15' } } },
      'acme/thousand': { commands: 'size-4000', entry: cheap },
    },
  });
  harness = gateways.first;
});

afterAll(() => gateways.close());

const repeat = <Result>(count: number, run: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, run));

const answered = (answers: readonly Answer[]): readonly Answer[] => answers.filter(({ status }) => status === 200);

function usageOf({ body }: Answer): Readonly<{ tokens: number; costUsd: number }> {
  const usage = body.usage as Json;
  return { tokens: Number(usage.completion_tokens ?? usage.output_tokens), costUsd: Number(usage.cost) };
}

async function expectPaid(key: string, creditUsd: number, deliveredTokens: number): Promise<void> {
  const spent = await harness.spent(key);
  expect(spent).toBeLessThanOrEqual(creditUsd);
  expect(deliveredTokens * PRICE).toBeLessThanOrEqual(spent * 1.02);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

// Empty pages: a few bytes each, and thousands of tokens at the provider.
const PDF = `data:application/pdf;base64,${Buffer.from(`%PDF-1.4\n${'endobj\n'.repeat(50)}`).toString('base64')}`;

test.each([true, false])(
  'BILL-02 BILL-16 of 40 documents at once that only the provider can measure, few are sent (stream %s)',
  async (stream) => {
    const { key } = await harness.account(5);
    const messages = [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: PDF } }] }];
    const answers = await repeat(40, () => harness.chat(key, { model: 'acme/pages', stream, messages }));
    // Each costs a dollar, and about 2 cents of it are held.
    expect(answered(answers).length).toBeGreaterThan(0);
    expect(answered(answers).length).toBeLessThanOrEqual(8);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect(status, JSON.stringify(body)).toBe(429);
    }
    expect((await harness.chat(key, { model: 'acme/short', max_tokens: 5 })).status).not.toBe(429);
  },
);

const picture = { type: 'image_url', image_url: { url: 'https://a.example/picture.png' } };

test.each([true, false])(
  'BILL-02 BILL-16 of 60 calls at once with pictures, for a model that counts ten times the usual, few are sent (stream %s)',
  async (stream) => {
    const { key } = await harness.account(5);
    const messages = [{ role: 'user', content: Array.from({ length: 5 }, () => picture) }];
    const body = { model: 'acme/gpt-4o-mini', max_tokens: 50, stream, messages };
    const answers = await repeat(60, () => harness.chat(key, body));
    // Each costs 48 cents, and 5 of these are held.
    expect(answered(answers).length).toBeGreaterThan(0);
    expect(answered(answers).length).toBeLessThanOrEqual(20);
    for (const { status, body: refusal } of answers.filter((answer) => answer.status !== 200)) {
      expect(status, JSON.stringify(refusal)).toBe(429);
    }
  },
);

test('BILL-02 a small account may send several pictures in several calls at once', async () => {
  const { key } = await harness.account(1);
  const messages = [{ role: 'user', content: [picture, picture, picture] }];
  const answers = await repeat(6, () => harness.chat(key, { model: 'acme/vision', max_tokens: 500, messages }));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

describe('whole answers without a limit', () => {
  test.each(['acme/long', 'acme/unstated', 'acme/secret'])(
    'BILL-02 BILL-16 40 at once on ten dollars deliver no more than they pay for (%s)',
    async (model) => {
      const { key } = await harness.account(10);
      const answers = await repeat(40, () => harness.chat(key, { model }));
      const delivered = sum(answered(answers).map((answer) => usageOf(answer).tokens));
      await expectPaid(key, 10, delivered);
      expect(answered(answers).length).toBeGreaterThan(10);
      for (const answer of answered(answers)) {
        const [choice] = answer.body.choices as Json[];
        expect(['length', 'stop']).toContain(choice?.finish_reason);
      }
    },
  );

  test('BILL-02 BILL-16 the same from two processes at once', async () => {
    const { key } = await harness.account(10);
    const ways = [gateways.first, gateways.second];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => ways[index % 2]!.chat(key, { model: 'acme/long' })),
    );
    const delivered = sum(answered(answers).map((answer) => usageOf(answer).tokens));
    await expectPaid(key, 10, delivered);
    expect(answered(answers).length).toBeGreaterThan(10);
  });

  test('BILL-02 a limit that clients of Messages send by habit is no more than none', async () => {
    const { key } = await harness.account(10);
    const body = { model: 'acme/long', max_tokens: 64_000, messages: [{ role: 'user', content: 'Say much.' }] };
    const answers = await repeat(40, () => harness.request('POST', '/v1/messages', { key, body }));
    const delivered = sum(answered(answers).map((answer) => usageOf(answer).tokens));
    await expectPaid(key, 10, delivered);
    expect(answered(answers).length).toBeGreaterThan(10);
  });

  test('BILL-02 KEY-10 the cap of a key is shared in the same way', async () => {
    const { userId } = await harness.account(10);
    const made = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'm', keyType: 'management' });
    const limited = await harness.request('POST', '/v1/keys', {
      key: String(made.key),
      body: { name: 'capped', limit: 1 },
    });
    const key = String(limited.body.key);
    const answers = await repeat(40, () => harness.chat(key, { model: 'acme/long' }));
    const delivered = sum(answered(answers).map((answer) => usageOf(answer).tokens));
    const paid = sum(answered(answers).map((answer) => usageOf(answer).costUsd));
    expect(paid).toBeLessThanOrEqual(1);
    expect(delivered * PRICE).toBeLessThanOrEqual(paid * 1.02);
    expect(answered(answers).length).toBeGreaterThan(5);
  });

  test('BILL-02 one that the account carries is whole, and of 20 side by side at least 12 are answered', async () => {
    const rich = await harness.account(100);
    expect(usageOf(await harness.chat(rich.key, { model: 'acme/long' })).tokens).toBe(40_000);
    const { key } = await harness.account(10);
    const answers = await repeat(20, () => harness.chat(key, { model: 'acme/short' }));
    expect(answered(answers).length).toBeGreaterThanOrEqual(12);
  });
});

test('BILL-05 ABT-1 two processes let no more begin of one burst than one would', async () => {
  const ways = [gateways.first, gateways.second];
  const ordinaryUsd = 1_024 * PRICE;
  const begunUsd = async (): Promise<number> => {
    const { key } = await harness.account(10);
    const calls = Array.from({ length: 60 }, (_, index) => ways[index % 2]!.chat(key, { model: 'acme/slow' }));
    return answered(await Promise.all(calls)).length * ordinaryUsd;
  };
  // Each call notices within seconds that it is not alone.
  await expect.poll(begunUsd).toBeLessThan(2.1);
  expect(await begunUsd()).toBeGreaterThan(1);
});

describe('streams', () => {
  type Streamed = Awaited<ReturnType<Harness['stream']>>;
  const isWhole = ({ status, frames }: Streamed): boolean =>
    status === 200 && frames.every((frame) => frame.error === undefined);
  const tokensOf = ({ frames }: Streamed): number =>
    sum(frames.map(({ usage }) => Number((usage as Json | undefined)?.completion_tokens ?? 0)));

  test('BILL-02 40 that think in secret deliver no more than they pay for', async () => {
    const { key } = await harness.account(10);
    const streams = await repeat(40, () => harness.stream(key, { model: 'acme/secret' }));
    await expectPaid(key, 10, sum(streams.map(tokensOf)));
    expect(streams.filter(isWhole).length).toBeGreaterThan(10);
  });

  test('STRM-10 20 side by side of 1,000 tokens end well on ten dollars', async () => {
    const { key } = await harness.account(10);
    const streams = await repeat(20, () => harness.stream(key, { model: 'acme/short' }));
    expect(streams.filter(isWhole)).toHaveLength(20);
    await expectPaid(key, 10, sum(streams.map(tokensOf)));
  });

  test("BILL-02 a caller's own limit is held whole and never extended", async () => {
    const { key } = await harness.account('0.0101');
    const body = { model: 'acme/thousand', max_tokens: 1_000 };
    const streams = await repeat(60, () => harness.stream(key, body));
    const frames = sum(streams.filter(({ status }) => status === 200).map((stream) => stream.frames.length));
    // One call's worth is a frame a token, and a few that begin and end it.
    expect(frames).toBeLessThanOrEqual(2 * 1_010);
    const funded = await harness.account('0.03');
    const whole = await harness.stream(funded.key, body);
    expect(isWhole(whole)).toBe(true);
    expect(tokensOf(whole)).toBe(1_000);
  });
});
