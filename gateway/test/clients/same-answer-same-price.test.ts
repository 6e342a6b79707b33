// One upstream answer costs the same for every dialect, whole or streamed: in the client's answer, in its spending, and
// in the record of the call.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import { type Clients, countsWrites, KINDS, type Kind, modelOf, QUESTION, startClients } from './every-upstream.ts';

const ANSWERS = {
  plain: 'tokens-1000-200',
  // 250 plain, 700 read, 50 written, 200 said, 120 of them thought.
  cached: 'tokens-1000-200+cached-700+cache-write-50+reasoning-120',
};
const COSTS: Readonly<Record<string, number>> = {
  plain: (1000 * 3 + 200 * 15) / 1e6,
  cached: (250 * 3 + 700 * 0.3 + 50 * 3.75 + 200 * 15) / 1e6,
};

let clients: Clients;

beforeAll(async () => {
  clients = await startClients(ANSWERS);
});

afterAll(() => clients.close());

const dialects = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: QUESTION }] },
  '/v1/responses': { input: QUESTION },
  '/v1/messages': { max_tokens: 4_000, messages: [{ role: 'user', content: QUESTION }] },
};
type Path = keyof typeof dialects;
const paths = Object.keys(dialects) as Path[];

function costIn({ text }: Answer): number {
  // The last usage: a stream states it once, at its end.
  return Number([...text.matchAll(/"(?:tollgate_)?cost":([0-9.e-]+)/g)].at(-1)?.[1]);
}

async function charge(kind: Kind, name: string, path: Path, stream: boolean) {
  const { harness, key } = clients;
  const before = await harness.spent(key);
  const body = { model: modelOf(kind, name), ...dialects[path], stream };
  const answer = await harness.request('POST', path, { key, body });
  expect(answer.status).toBe(200);
  const id = answer.headers.get('x-generation-id');
  const record = (await harness.request('GET', `/v1/generation?id=${id}`, { key })).body.data as Json;
  const usage = record.usage as Json;
  return { told: costIn(answer), spent: (await harness.spent(key)) - before, recorded: Number(usage.cost) };
}

describe.each(KINDS)('from an upstream of the %s kind', (kind) => {
  describe.each(paths)('through %s', (path) => {
    test.each(Object.keys(ANSWERS))('CHAT-36 RESP-14 MSGS-08 BILL-09 the answer "%s"', async (name) => {
      const isUntold = !countsWrites(kind) && name === 'cached';
      const cost = isUntold ? (300 * 3 + 700 * 0.3 + 200 * 15) / 1e6 : (COSTS[name] ?? Number.NaN);
      for (const stream of [false, true]) {
        const { told, spent, recorded } = await charge(kind, name, path, stream);
        expect(told).toBeCloseTo(cost, 12);
        expect(recorded).toBe(told);
        expect(spent).toBeCloseTo(cost, 9);
      }
    });
  });
});
