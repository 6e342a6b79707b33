// Every way an upstream can fail, whole and streamed, alone and with a healthy second provider: what the client sees,
// that calls without usage cost nothing, and that nothing stays held.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, faultyProvider, type Harness, IMPATIENT, type Json, startHarness } from '../harness.ts';

type Expected = Readonly<{
  /** Simulator commands; null is a provider that refuses connections. */
  commands: string | null;
  ids: string;
  /** Status and code of a whole call when no provider is left. */
  whole: readonly [number, string | number];
  /** The same for a stream that failed before its first byte; `frame` when it had begun. */
  stream: readonly [number, string | number] | 'frame' | 'fine';
  /** A second provider is not asked, because the request itself was refused. */
  isCallersFault?: true;
}>;

const UNREACHABLE = [502, 'upstream_unreachable'] as const;
const UNAVAILABLE = [502, 'upstream_unavailable'] as const;

const faults: Readonly<Record<string, Expected>> = {
  refused: { commands: null, ids: 'ERR-55', whole: UNREACHABLE, stream: UNREACHABLE },
  'reset before headers': { commands: 'reset', ids: 'ERR-55 BILL-04', whole: UNREACHABLE, stream: UNREACHABLE },
  'closed before headers': { commands: 'close', ids: 'ERR-55', whole: UNREACHABLE, stream: UNREACHABLE },
  'reset in headers': { commands: 'reset-in-headers', ids: 'ERR-55', whole: UNREACHABLE, stream: UNREACHABLE },
  'garbage status line': { commands: 'garbage', ids: 'ERR-55', whole: UNREACHABLE, stream: UNREACHABLE },
  redirect: { commands: 'redirect', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'too many requests': {
    commands: 'status-429-retry-after-7',
    ids: 'ERR-57',
    whole: [429, 'upstream_rate_limited'],
    stream: [429, 'upstream_rate_limited'],
  },
  'status 500': { commands: 'status-500', ids: 'ERR-10 ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'status 503': { commands: 'status-503', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'status 529': { commands: 'status-529', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'our key refused': {
    commands: 'status-401',
    ids: 'ERR-56',
    whole: [502, 'upstream_auth_failed'],
    stream: [502, 'upstream_auth_failed'],
  },
  'odd 4xx': {
    commands: 'status-418',
    ids: 'ERR-41',
    whole: [400, 'unknown_4xx'],
    stream: [400, 'unknown_4xx'],
    isCallersFault: true,
  },
  'policy refusal': {
    commands: 'policy',
    ids: 'ERR-39',
    whole: [403, 'content_moderation'],
    stream: [403, 'content_moderation'],
    isCallersFault: true,
  },
  'context length': {
    commands: 'context-length',
    ids: 'ERR-33',
    whole: [400, 'context_too_long'],
    stream: [400, 'context_too_long'],
    isCallersFault: true,
  },
  'bad JSON': { commands: 'bad-json', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'cut JSON': { commands: 'cut-json', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  HTML: { commands: 'html', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'empty body': { commands: 'empty', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'error under 200': { commands: 'error-200', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'fake gzip': { commands: 'gzip-fake', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'gzip twice': { commands: 'gzip-twice', ids: 'ERR-58', whole: UNAVAILABLE, stream: UNAVAILABLE },
  'reset amid the body': { commands: 'reset-after-3', ids: 'STRM-07', whole: UNREACHABLE, stream: 'frame' },
  'cut amid the body': { commands: 'cut-after-3', ids: 'STRM-07', whole: UNREACHABLE, stream: 'frame' },
  'bad frame': { commands: 'bad-frame-2', ids: 'STRM-07', whole: [200, ''], stream: 'frame' },
  'no answer at all': { commands: 'stall', ids: 'ERR-12 STRM-13', whole: [504, 504], stream: [504, 504] },
  'stalled stream': { commands: 'stall-after-2', ids: 'STRM-13', whole: [504, 504], stream: 'frame' },
  'giant line': { commands: 'giant-line-2048', ids: 'STRM-07', whole: [200, ''], stream: UNAVAILABLE },
};

const slug = (name: string): string => name.toLowerCase().replace(/\W+/g, '-');

let harness: Harness;

beforeAll(async () => {
  const healthy = { provider: 'sim', upstream_model: 'sim-tokens-100-20' };
  const models = Object.fromEntries(
    Object.entries(faults).flatMap(([name, { commands }]) => {
      const broken =
        commands === null
          ? { provider: 'dead', upstream_model: 'x' }
          : { provider: faultyProvider(commands), upstream_model: `sim-${commands}` };
      return [
        [`acme/${slug(name)}`, { routes: [broken] }],
        [`acme/${slug(name)}-rescued`, { routes: [broken, healthy] }],
      ];
    }),
  );
  harness = await startHarness({
    models,
    moreProviders: { slow: IMPATIENT },
    // At equal prices the random order is a tie, and the order of the file decides: the broken provider comes first.
    start: { random: () => 0 },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

function expectNoLeak(answer: Answer): void {
  expect(answer.text).not.toContain('upstream-secret-key');
  expect(answer.text).not.toMatch(/simulat|127\.0\.0\.1|ECONN|undici/i);
}

describe.each(Object.entries(faults))('%s', (name, fault) => {
  const { ids, isCallersFault } = fault;

  test(`${ids} with no provider left`, async () => {
    const { key } = await harness.account(5);
    const model = `acme/${slug(name)}`;
    const whole = await harness.chat(key, { model });
    expect(whole.status).toBe(fault.whole[0]);
    if (fault.whole[0] !== 200) {
      expectNoLeak(whole);
      expect(whole.body).toMatchObject({ error: { code: fault.whole[1] } });
      if (fault.whole[0] === 429) expect(whole.headers.get('retry-after')).toBe('7');
      expect(await harness.spent(key)).toBe(0);
    }
    const before = await harness.spent(key);
    const stream = await harness.stream(key, { model });
    expectNoLeak(stream);
    if (fault.stream === 'frame') {
      expect(stream.status).toBe(200);
      expect(stream.isDone).toBe(true);
      expect(stream.frames.at(-1)).toMatchObject({ error: { message: expect.any(String) } });
      expect((stream.frames.at(-1) as Json).choices).toBeUndefined();
    } else {
      expect([stream.status, (stream.body.error as Json)?.code]).toEqual(fault.stream);
    }
    expect(await harness.spent(key)).toBe(before);
  });

  test(`ROUTE-09 ROUTE-13 ${isCallersFault ? 'a second provider is not asked' : 'a second provider answers, charged once'}`, async () => {
    if (fault.whole[0] === 200) return;
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: `acme/${slug(name)}-rescued` });
    if (isCallersFault) {
      expect(answer.status).toBe(fault.whole[0]);
      expect(await harness.spent(key)).toBe(0);
      return;
    }
    expect(answer.status).toBe(200);
    expect(await harness.spent(key)).toBe(0.00014);
    const generation = await harness.request('GET', `/v1/generation?id=${answer.body.id}`, { key });
    expect(generation.body).toMatchObject({ data: { usage: { cost: 0.00014 } } });
  });
});
