// No secret gets out: every route is called, by callers that it lets in and callers that it refuses, with right and
// wrong requests. Then the secrets of all of them are searched for in every answer, every line of the log and every
// column of every table. The operator sells at a markup here, and what calls cost the operator is searched for in every
// answer to other callers.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatUsd } from '../../src/platform/money.ts';
import { type Answer, type Harness, startHarness } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { addressEnv, ask, wholeOf } from './ask.ts';
import { type Canary, canaries, foundIn } from './canaries.ts';
import { recordingLogger } from './recording-logger.ts';
import { routeList, routeName } from './route-list.ts';
import { table } from './table.ts';
import { buildWorld, type Kind, orgKey, PASSWORD, type World } from './world.ts';

const { logger, lines: logged } = recordingLogger();
const asking: readonly Kind[] = ['expired', 'standardOwn', 'orgAdmin', 'cookie', 'operator'];

let harness: Harness;
let world: World;
let looked: readonly Canary[];
/** What calls cost the operator, as digits. */
let costs: ReadonlySet<string>;

/** USD per million, unlike any other figure; sold at other ones. */
const COST = { prompt: '1.73205081', completion: '2.64575131' };
const PERCENT = '37.7777';
/** 1,001 tokens of one and 777 of the other. */
const COST_NANO_USD = 3_789_532n;

beforeAll(async () => {
  harness = await startHarness({
    env: { ...addressEnv, TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' },
    models: { 'openai/sold': { commands: 'tokens-1001-777', entry: { pricing: COST } } },
    document: { markups: { '*': { percent: PERCENT } } },
    start: { logger },
  });
  world = await buildWorld(harness);
  looked = canaries(world);
  costs = await sell();
});

afterAll(() => harness.close());

/** Calls of every caller who may read about them, and their cost to the operator, in every form that figures have. */
async function sell(): Promise<ReadonlySet<string>> {
  for (const kind of ['standardOwn', 'orgAdmin'] as const) {
    const key = await keyOf(kind);
    const { body } = await harness.chat(key, { model: 'openai/sold' });
    const explained = await harness.operate('GET', `/admin/v1/generations/${body.id}/explain`);
    expect(explained.upstreamUsd).toBe(formatUsd(COST_NANO_USD));
  }
  return new Set([...Object.values(COST), PERCENT, formatUsd(COST_NANO_USD)].map(digitsOf));
}

async function keyOf(kind: 'standardOwn' | 'orgAdmin'): Promise<string> {
  if (kind === 'standardOwn') return world.headers[kind].Authorization?.replace('Bearer ', '') ?? '';
  return String((await orgKey(harness, world.acme.orgId, world.ann, 'standard')).key);
}

/** Digits without the point and without zeros around them, so that a figure is found in any unit. */
const digitsOf = (figure: string): string => figure.replace(/e-?\d+$|\./g, '').replace(/^0+|0+$/g, '');

const costsIn = (answer: Answer): string[] =>
  (wholeOf(answer).match(/(?<![\w.-])\d[\d.]*(?:e-?\d+)?(?!\w)/g) ?? [])
    .map(digitsOf)
    .filter((digits) => costs.has(digits));

/** A caller who puts the secret where it does not belong, in a body that cannot be read. */
function askBadly(method: string, path: string, kind: Kind): Promise<Answer> {
  const headers = world.headers[kind];
  const secret = headers.Authorization?.replace('Bearer ', '') ?? headers.Cookie ?? '';
  const target = `${path.replace(/:\w+|\*/g, 'unknown')}?key=${encodeURIComponent(secret)}`;
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: `{"nosuchfield": "${secret}", "name": ` };
  return harness.request(method, target, { headers: { ...headers, 'x-api-key': secret }, ...body });
}

/** Passwords, right and wrong: the tables ask without them, because comparing one takes long on purpose. */
const askWithPasswords = (): Promise<Answer[]> =>
  Promise.all(
    (
      [
        ['login', { email: world.ann.email, password: PASSWORD }],
        ['login', { email: 'nobody@example.test', password: PASSWORD }],
        ['login', { password: PASSWORD }],
        ['signup', { email: world.ann.email, name: 'Ann', password: PASSWORD }],
        ['signup', { email: PASSWORD, name: 'Ann', password: PASSWORD }],
        ['reset-password', { token: 'unknown', password: PASSWORD }],
      ] as const
    ).map(([form, body]) => harness.request('POST', `/api/auth/${form}`, { body })),
  );

test('KEY-04 KEY-06 ALOG-05 no answer, log line or column holds a secret, and no answer what calls cost', async () => {
  expect(looked.length).toBeGreaterThan(12);
  const leaks: string[] = [];
  const toOperators = new Set<string>();
  const look = (from: string, answers: readonly Answer[]): void => {
    const leaked = answers.flatMap((answer) => foundIn(wholeOf(answer), looked));
    if (leaked.length > 0) leaks.push(`${from}: ${leaked.join(', ')}`);
  };
  look('/api/auth', await askWithPasswords());
  for (const { method, path } of routeList) {
    const row = table[routeName({ method, path })];
    const params = (await row?.params?.(world)) ?? {};
    for (const kind of asking) {
      const well = row === undefined ? [] : [await ask(world, { method, path, row, kind, params })];
      look(`${method} ${path}, asked by ${kind}`, [...well, await askBadly(method, path, kind)]);
      const told = well.flatMap(costsIn);
      if (kind === 'operator') {
        for (const figure of told) toOperators.add(figure);
        continue;
      }
      if (told.length > 0) leaks.push(`${method} ${path}, told to ${kind}: ${told.join(', ')}`);
    }
  }
  expect(leaks).toEqual([]);
  // The log of calls is asked for these ones: what was called since may fill its first page.
  const headers = world.headers.operator;
  const sold = await harness.request('GET', '/admin/v1/calls?model=openai%2Fsold', { headers });
  for (const figure of costsIn(sold)) toOperators.add(figure);
  expect(toOperators).toEqual(costs);

  expect(logged.length).toBeGreaterThan(500);
  expect(logged.filter((line) => foundIn(line, looked).length > 0)).toEqual([]);

  const tables = await rows<{ name: string }>(
    harness.databaseUrl,
    `select quote_ident(c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  expect(tables.length).toBeGreaterThan(25);
  const stored: string[] = [];
  for (const { name } of tables) {
    const dump = await rows<{ row: string }>(harness.databaseUrl, `select t::text as row from ${name} t`);
    const leaked = foundIn(dump.map(({ row }) => row).join('\n'), looked);
    if (leaked.length > 0) stored.push(`${name}: ${leaked.join(', ')}`);
  }
  expect(stored).toEqual([]);
});

test('the search sees what it looks for, in every spelling', () => {
  const canary = { name: 'c', secret: 'sk-tg-0123456789abcdefghij' };
  const bytes = Buffer.from(canary.secret);
  for (const text of [canary.secret, bytes.toString('hex'), bytes.toString('base64'), `(${canary.secret},1)`]) {
    expect(foundIn(text, [canary])).toEqual(['c']);
  }
  expect(foundIn('sk-tg-0123', [canary])).toEqual([]);
});
