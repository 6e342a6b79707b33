// Every way an upstream can fail a call for pictures. Without another provider the client gets an error and pays
// nothing; a healthy second provider answers and is paid once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, faultyProvider, type Harness, IMPATIENT, type Json, startHarness } from '../harness.ts';
import { codeOf, edit, eventsOf, paint, paintingModel, picture } from './image-harness.ts';

const UNREACHABLE = [502, 'upstream_unreachable'] as const;
const UNAVAILABLE = [502, 'upstream_unavailable'] as const;
const UNUSABLE = [502, 'pipeline_error'] as const;
const NONE = [502, 'no_images'] as const;
const SILENT = [504, 504] as const;

type Fault = Readonly<{
  commands: string | null;
  expected: readonly [number, string | number];
  /** A second provider is not asked, because the request itself was refused. */
  isCallersFault?: boolean;
}>;

const faults: Readonly<Record<string, Fault>> = {
  'F1 ERR-55 refused': { commands: null, expected: UNREACHABLE },
  'F5 reset before headers': { commands: 'reset', expected: UNREACHABLE },
  'F6 reset in headers': { commands: 'reset-in-headers', expected: UNREACHABLE },
  'F7 garbage': { commands: 'garbage', expected: UNREACHABLE },
  'F8 redirect': { commands: 'redirect', expected: UNAVAILABLE },
  'F9 no headers': { commands: 'stall', expected: SILENT },
  'F10 ERR-57 429 with Retry-After': { commands: 'status-429-retry-after-7', expected: [429, 'upstream_rate_limited'] },
  'F11 429 without': { commands: 'status-429', expected: [429, 'upstream_rate_limited'] },
  'F12 ERR-58 500': { commands: 'status-500', expected: UNAVAILABLE },
  'F13 503': { commands: 'status-503', expected: UNAVAILABLE },
  'F14 529': { commands: 'status-529', expected: UNAVAILABLE },
  'F15 ERR-56 401': { commands: 'status-401', expected: [502, 'upstream_auth_failed'] },
  'F16 ERR-41 400': { commands: 'status-400', expected: [400, 'unknown_4xx'], isCallersFault: true },
  'F16 404': { commands: 'status-404', expected: [400, 'unknown_model'] },
  'F16 ERR-39 policy': { commands: 'policy', expected: [403, 'content_moderation'], isCallersFault: true },
  'F17 ERR-53 bad JSON': { commands: 'bad-json', expected: UNUSABLE },
  'F17 cut JSON': { commands: 'cut-json', expected: UNUSABLE },
  'F18 HTML': { commands: 'html', expected: UNUSABLE },
  'F19 empty': { commands: 'empty', expected: UNUSABLE },
  'F20 error under 200': { commands: 'error-200', expected: UNAVAILABLE },
  'F21 short body': { commands: 'short-body', expected: UNREACHABLE },
  'F28 reset in the body': { commands: 'reset-after-1', expected: UNREACHABLE },
  'F31 stalled body': { commands: 'stall-body', expected: SILENT },
  'F34 fake gzip': { commands: 'gzip-fake', expected: UNAVAILABLE },
  'ERR-54 no images': { commands: 'images-0', expected: NONE },
  'ERR-53 HTML for a picture': { commands: 'image-html', expected: UNUSABLE },
  'ERR-53 SVG for a picture': { commands: 'image-svg', expected: UNUSABLE },
  'ERR-53 half a picture': { commands: 'image-cut', expected: UNUSABLE },
  'ERR-53 an address that leads nowhere': { commands: 'image-url+image-missing', expected: UNUSABLE },
  'ERR-53 A13 an address in a private network': { commands: 'image-url+image-private', expected: UNUSABLE },
  'ERR-53 A13 an address that leads to SVG': { commands: 'image-url+image-svg', expected: UNUSABLE },
};

const slug = (name: string): string => name.toLowerCase().replace(/\W+/g, '-');

let harness: Harness;

beforeAll(async () => {
  const models: Record<string, object> = {};
  for (const [name, { commands }] of Object.entries(faults)) {
    const broken =
      commands === null
        ? { provider: 'dead', upstream_model: 'x' }
        : { provider: faultyProvider(commands), upstream_model: `m.sim-${commands}` };
    const healthy = { provider: 'sim', upstream_model: 'healthy' };
    const { entry } = paintingModel();
    models[`acme/${slug(name)}`] = { entry: { ...entry, routes: [broken] } };
    models[`acme/${slug(name)}-rescued`] = { entry: { ...entry, routes: [broken, healthy] } };
  }
  models['acme/one-of-three'] = paintingModel('image-url+image-missing-2');
  models['acme/mixed'] = paintingModel('image-svg-1');
  harness = await startHarness({
    models,
    env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' },
    moreProviders: { slow: IMPATIENT },
    // At equal prices the random order is a tie, and the order of the file decides: the broken provider comes first.
    start: { random: () => 0 },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const surfaces: Readonly<Record<string, (key: string, model: string) => Promise<Answer>>> = {
  whole: (key, model) => paint(harness, key, { model }),
  events: (key, model) => paint(harness, key, { model, stream: true }),
  edits: (key, model) => edit(harness, key, [picture()], { model }),
};

const cells = Object.entries(faults).flatMap(([name, fault], index) =>
  // Where the surfaces do not differ, each case uses one of them in turn.
  Object.keys(surfaces)
    .filter((surface, place) => surface === 'whole' || index % 2 === place % 2)
    .map((surface) => ({ name, fault, surface })),
);

describe.each(cells)('$name, $surface', ({ name, fault, surface }) => {
  test('BILL-04 with no provider left: told with a status, and nothing charged', async () => {
    const { key } = await harness.account(5);
    const answer = await surfaces[surface]?.(key, `acme/${slug(name)}`);
    expect([answer?.status, answer && codeOf(answer)]).toEqual(fault.expected);
    expect(answer?.text).not.toMatch(/upstream-secret-key|simulat|127\.0\.0\.1|169\.254|ECONN|undici/i);
    expect(await harness.spent(key)).toBe(0);
  });
});

describe.each(Object.entries(faults))('%s', (name, fault) => {
  test('ROUTE-09 ROUTE-13 FO-1 with a second provider', async () => {
    const { key } = await harness.account(5);
    const answer = await paint(harness, key, { model: `acme/${slug(name)}-rescued` });
    expect(answer.status).toBe(fault.isCallersFault ? fault.expected[0] : 200);
    expect(await harness.spent(key)).toBe(fault.isCallersFault ? 0 : 0.04);
  });
});

test('ERR-53 BILL-01 of three pictures one is there: it is delivered, and it alone is paid for', async () => {
  const { key } = await harness.account(5);
  const answer = await paint(harness, key, { model: 'acme/one-of-three', n: 3 });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toHaveLength(1);
  expect((answer.body.usage as Json).cost).toBe(0.04);
  expect(await harness.spent(key)).toBe(0.04);
  const events = eventsOf((await paint(harness, key, { model: 'acme/mixed', n: 2, stream: true })).text);
  expect(events.map(({ event, data }) => [event, data.index ?? data.imageCount])).toEqual([
    ['image', 0],
    ['image-cached', 0],
    ['usage', 1],
    ['done', undefined],
  ]);
});
