// Two people change two fields of one thing at the same moment. Each change is of its own field, so both are kept, and
// the log of the organization tells them one after the other.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FilteredOrg, type GuardBed, startGuardBed } from '../guardrails/guard-bed.ts';
import type { Json } from '../harness.ts';

const ROUNDS = 8;
const URL = 'https://receiver.example/';

type Thing = Readonly<{
  /** Under the path of the organization. */
  path: string;
  /** The member of the list's answer that holds the things. */
  list: string;
  made: Json;
  /** The two changes of a round. */
  changes(round: number): readonly [Json, Json];
}>;

const isOn = (round: number): boolean => round % 2 === 0;

const THINGS: Readonly<Record<string, Thing>> = {
  'content filter': {
    path: '/content-filters',
    list: 'rules',
    made: { name: 'Ours', type: 'keyword', pattern: 'walnut', action: 'block' },
    changes: (round) => [{ name: `Ours ${round}` }, { enabled: isOn(round) }],
  },
  guard: {
    path: '/guards',
    list: 'guards',
    made: { name: 'Ours', form: 'webhook', url: URL, stages: ['before'] },
    changes: (round) => [{ timeoutMs: 1_000 + round }, { enabled: isOn(round) }],
  },
  feed: {
    path: '/feeds',
    list: 'feeds',
    made: { name: 'Ours', form: 'http', url: URL },
    changes: (round) => [{ name: `Ours ${round}` }, { enabled: isOn(round) }],
  },
  'address of notices': {
    path: '/notices/addresses',
    list: 'addresses',
    made: { channel: 'webhook', target: URL, kinds: ['balance.low'] },
    changes: (round) => [{ lowBalanceUsd: round + 1 }, { enabled: isOn(round) }],
  },
};

let bed: GuardBed;
let org: FilteredOrg;

beforeAll(async () => {
  bed = await startGuardBed({ start: { lookup: async () => ['93.184.216.34'] } });
  org = await bed.org();
});
afterAll(() => bed.harness.close());

async function ask(method: string, path: string, body?: Json): Promise<Json> {
  const given = { key: org.adminKey, ...(body === undefined ? {} : { body }) };
  const answer = await bed.harness.request(method, `/api/orgs/${org.id}${path}`, given);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

test.each(Object.entries(THINGS))('both changes of one %s are kept', async (_name, { path, list, made, changes }) => {
  const { id } = await ask('POST', path, made);
  for (let round = 0; round < ROUNDS; round += 1) {
    const wanted = changes(round);
    await Promise.all(wanted.map((change) => ask('PATCH', `${path}/${id}`, change)));
    const { [list]: things } = await ask('GET', path.replace('/notices/addresses', '/notices'));
    expect(things).toMatchObject([Object.assign({}, ...wanted)]);
  }
});

test('ALOG-03 each change in the log begins with what the one before it left', async () => {
  const { id } = await ask('POST', '/guards', { ...THINGS.guard?.made, name: 'Watched' });
  const names = Array.from({ length: ROUNDS }, (_, index) => `Watched ${index}`);
  await Promise.all(names.map((name) => ask('PATCH', `/guards/${id}`, { name })));
  const entries = (await bed.log(org, 'org.guard.update')).filter(({ targetId }) => targetId === id);
  const left = entries.map(({ after }) => (after as Json).name);
  const found = entries.map(({ before }) => (before as Json).name);
  expect(left.sort()).toEqual(names);
  expect(new Set(found).size).toBe(ROUNDS);
  expect(['Watched', ...names]).toEqual(expect.arrayContaining(found));
});
