// A gateway is killed at the worst moments, as a process of its own. What a client saw as charged is charged once after
// the restart; what it did not see is charged only where the commit had already been made; work that goes on is
// answered and charged once; nothing stays held, and the books balance. One run has the embedded storage, the other a
// PostgreSQL server.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CrashBed } from './crash-bed.ts';
import { CrashCall } from './crash-call.ts';
import { CRASH_POINTS, type CrashPoint, type CrashScene, FULL_ANSWER } from './crash-points.ts';
import { modelsLike, SURFACES } from './crash-surfaces.ts';
import { GatewayProcess } from './gateway-process.ts';

/** Raised for long runs by hand. */
const ROUNDS = Number(process.env.TOLLGATE_CRASH_ROUNDS ?? 1);
const PRICE_USD = 0.00014;
const NAMED_POINTS = CRASH_POINTS.map((point) => [point.name, point] as const);

describe('killed', () => {
  let bed: CrashBed;

  beforeAll(async () => {
    bed = await CrashBed.open();
  });

  afterAll(() => bed.close());

  async function newCalls(): Promise<CrashCall[]> {
    const kinds = SURFACES.flatMap((surface) =>
      (surface.finish === undefined ? [false] : [false, true]).map((isStream) => ({ surface, isStream })),
    );
    return Promise.all(
      kinds.map(async ({ surface, isStream }) => new CrashCall(surface, isStream, await bed.account())),
    );
  }

  async function holdAnother(): Promise<{ letGo(): Promise<void> }> {
    const [surface] = SURFACES;
    const call = new CrashCall(surface!, false, await bed.account());
    await bed.hold([call.accountId]);
    bed.gateway.simulator.script('tokens-100-20', { model: 'openai/test' });
    void call.run(bed.gateway.url, 'openai/test');
    await bed.untilHeld();
    return { letGo: () => bed.letGo([call.accountId]) };
  }

  /** All calls hold what they may cost and wait at the gate; then the point takes over, up to the kill. */
  async function bringToPoint(point: CrashPoint, calls: readonly CrashCall[]): Promise<void> {
    const { simulator, url } = bed.gateway;
    let openGate = (): void => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    simulator.clearRequests();
    simulator.clearScripts();
    for (const model of Object.keys(modelsLike('openai/gated', {}))) {
      simulator.script(
        async ({ json }) => {
          await gate;
          return point.commands((json as { stream?: boolean }).stream === true);
        },
        { model, times: Number.POSITIVE_INFINITY },
      );
    }
    // Work that goes on must find a process in the end.
    const running = calls.map((call) => call.run(url, call.surface.goesOn ? 'openai/gated' : point.model));
    await bed.untilReserved(calls.length);
    const accountIds = calls.map(({ accountId }) => accountId);
    const scene: CrashScene = { bed, calls, accountIds, openGate, holdAnother };
    await point.bringAndKill(scene);
    openGate();
    await Promise.all(running);
  }

  /** After the restart, with an upstream that answers. */
  async function goOn(point: CrashPoint, calls: readonly CrashCall[]): Promise<void> {
    const { simulator, url } = bed.gateway;
    simulator.clearScripts();
    const commands = point.isFree ? point.commands(false) : FULL_ANSWER;
    simulator.script(commands, { model: 'openai/gated', times: Number.POSITIVE_INFINITY });
    await bed.endLeases();
    await Promise.all(calls.map((call) => call.run(url, 'openai/gated')));
    expect(calls.filter((call) => call.costSeen === null).map(({ name, text }) => [name, text])).toEqual([]);
  }

  function expectedUsdOf({ surface, costSeen }: CrashCall, { charged, isFree }: CrashPoint): number {
    if (surface.goesOn !== undefined) return isFree ? 0 : PRICE_USD;
    return costSeen ?? (charged === 'once' ? PRICE_USD : 0);
  }

  async function expectCharged(call: CrashCall, point: CrashPoint): Promise<void> {
    const expectedUsd = expectedUsdOf(call, point);
    const charges = await bed.rows<{ usd: number }>(
      `select amount_nano_usd::float8 / 1e9 as usd from journal_entries
       where kind = 'charge' and debit_account_id = $1`,
      [call.accountId],
    );
    expect.soft(charges, call.name).toEqual(expectedUsd === 0 ? [] : [{ usd: expectedUsd }]);
    const credits = await bed.gateway.call('GET', '/v1/credits', call.key);
    expect.soft(credits.data, call.name).toEqual({ total_credits: 1, total_usage: expectedUsd });
  }

  for (let round = 1; round <= ROUNDS; round += 1) {
    test.each(NAMED_POINTS)(`CRASH-1 STRM-04 STRM-06 BILL-03 %s (round ${round})`, async (_, point) => {
      const calls = await newCalls();
      await bringToPoint(point, calls);
      await bed.gateway.start();
      // The restart itself returns what the dead process had leased, before it serves.
      const goingOn = calls.filter(({ surface }) => surface.goesOn !== undefined);
      const accountIds = calls.filter((call) => !goingOn.includes(call)).map(({ accountId }) => accountId);
      expect(
        await bed.rows('select id from accounts where id = any ($1) and leased_nano_usd + held_nano_usd <> 0', [
          accountIds,
        ]),
      ).toEqual([]);
      expect(await bed.rows('select id from processes')).toHaveLength(1);
      await goOn(point, goingOn);
      for (const call of calls) await expectCharged(call, point);
      expect(await bed.gateway.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
        ok: true,
        heldReservations: 0,
        discrepancies: [],
      });
    });
  }

  test('STRM-06 killed amid an answer: the whole balance can be spent at once', async () => {
    const call = new CrashCall(SURFACES[0]!, true, await bed.account());
    bed.gateway.simulator.script('chunks-20+stall-after-5', { model: 'openai/gated' });
    const running = call.run(bed.gateway.url, 'openai/gated');
    await bed.untilEach([call], ({ text }) => text.length > 500);
    await bed.kill();
    await running;
    await bed.gateway.start();
    // Needs nearly all of the dollar: a slice still leased to the dead process would make it a 402.
    const answer = await bed.gateway.call('POST', '/v1/chat/completions', call.key, {
      model: 'openai/test',
      max_tokens: 490_000,
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(answer).toMatchObject({ usage: { cost: expect.any(Number) } });
  });
});

test('SIGTERM lets an open stream finish with its usage, then exits with 0', async () => {
  const gateway = await GatewayProcess.prepare({ 'openai/slow': { commands: 'tokens-100-20+chunks-20+delay-50' } });
  onTestFinished(() => gateway.close());
  await gateway.start();
  const key = await gateway.account();
  const response = await gateway.stream(key, 'openai/slow');
  gateway.terminate();
  const text = await response.text();
  expect(text).toContain('"cost":0.00014');
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  await gateway.ended();
  expect(gateway.exitCode).toBe(0);
});
