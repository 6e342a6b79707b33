// Breakers of organizations at work: each scope is compared with its own spending, the broadest is named, every gateway
// decides alike, and calls pass again when a new window begins.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf, START } from '../caps/front-doors.ts';
import type { Json } from '../harness.ts';
import { messageOf, type Org, OrgBed, type Person } from './org-bed.ts';

let bed: OrgBed;
let org: Org;
let teamId: string;
let member: Person;
let mate: Person;
let loner: Person;

beforeAll(async () => {
  bed = await OrgBed.open();
});

beforeEach(async () => {
  bed.doors.clock.set(START);
  org = await bed.org();
  teamId = await bed.team(org);
  [member, mate, loner] = [await bed.member(org, teamId), await bed.member(org, teamId), await bed.member(org)];
});

afterEach(async () => {
  expect(await bed.doors.first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

afterAll(() => bed.close());

const tripped = (scope: string, window: string) => `Spend circuit breaker tripped (scope: ${scope}, window: ${window})`;
const ofTeam = () => `/teams/${teamId}`;
const ofMember = ({ memberId } = member) => `/members/${memberId}`;
const statuses = async (...people: Person[]) => {
  const answers = [];
  for (const { key } of people) answers.push((await bed.call(key)).status);
  return answers;
};

describe('a trip', () => {
  test('BRK-05 BRK-06 BRK-07 a member’s stops that member until the minute turns', async () => {
    bed.doors.clock.set('2026-03-10T12:34:20.500Z');
    await bed.change(org, ofMember(), { cbEnabled: true, cbMinuteUsd: 0.2 });
    expect(await statuses(member, member, mate)).toEqual([200, 200, 200]);
    const refused = await bed.call(member.key);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      error: { message: tripped('member', 'minute'), type: 'rate_limit_error', code: 429 },
    });
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(await statuses(mate, loner)).toEqual([200, 200]);
    bed.doors.clock.set('2026-03-10T12:34:59.999Z');
    expect(await statuses(member)).toEqual([429]);
    bed.doors.clock.set('2026-03-10T12:35:00.000Z');
    expect(await statuses(member)).toEqual([200]);
  });

  test('BRK-05 BRK-06 BRK-07 a team’s stops its members until the hour turns', async () => {
    bed.doors.clock.set('2026-03-10T12:20:00Z');
    // Its members inherit the setting, but not its spending: each may still spend as much alone.
    await bed.change(org, ofTeam(), { cbEnabled: true, cbHourlyUsd: 0.2 });
    expect(await statuses(member, mate)).toEqual([200, 200]);
    for (const { key } of [member, mate]) {
      const refused = await bed.call(key);
      expect(messageOf(refused)).toBe(tripped('team', 'hour'));
      expect(refused.headers.get('retry-after')).toBe('2400');
      expect(refused.headers.get('x-should-retry')).toBe('false');
    }
    expect(await statuses(loner)).toEqual([200]);
    bed.doors.clock.set('2026-03-10T13:00:00Z');
    expect(await statuses(member)).toEqual([200]);
  });

  test('BRK-13 AMB-16 with several tripped the broadest is named: organization, team, member, user', async () => {
    const trip = async () => messageOf(await bed.call(member.key));
    await bed.doors.setBreaker(member.key, { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect(await statuses(member)).toEqual([200]);
    expect(await trip()).toBe(tripped('user', 'hour'));
    await bed.change(org, ofMember(), { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect(await trip()).toBe(tripped('member', 'hour'));
    await bed.change(org, ofTeam(), { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect(await trip()).toBe(tripped('team', 'hour'));
    await bed.change(org, '', { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect(await trip()).toBe(tripped('org', 'hour'));
    await bed.change(org, '', { cbMinuteUsd: 0.1 });
    expect(await trip()).toBe(tripped('org', 'minute'));
  });

  test('BRK-03 BRK-13 a threshold that is inherited is compared with the own spending of each scope', async () => {
    await bed.change(org, '', { cbEnabled: true, cbHourlyUsd: 0.3 });
    await bed.change(org, ofMember(), { cbHourlyUsd: 0.1 });
    expect(await statuses(member)).toEqual([200]);
    expect(messageOf(await bed.call(member.key))).toBe(tripped('member', 'hour'));
    expect(await statuses(mate, loner)).toEqual([200, 200]);
    expect(messageOf(await bed.call(mate.key))).toBe(tripped('org', 'hour'));
    expect(messageOf(await bed.call(member.key))).toBe(tripped('org', 'hour'));
  });

  test('BRK-03 a member may be taken out of what the team has switched on', async () => {
    await bed.change(org, ofTeam(), { cbEnabled: true, cbHourlyUsd: 0.1 });
    await bed.change(org, ofMember(), { cbEnabled: false });
    // The member's own breaker is off; the team's is not, and counts what the member spends.
    expect(await statuses(member)).toEqual([200]);
    expect(messageOf(await bed.call(member.key))).toBe(tripped('team', 'hour'));
  });

  test('BRK-05 keys of people beside the organization’s are not concerned', async () => {
    await bed.change(org, '', { cbEnabled: true, cbHourlyUsd: 0.1 });
    await bed.doors.first.operate('POST', `/admin/v1/users/${member.userId}/credits`, { amountUsd: 5, note: 'own' });
    const own = await bed.doors.first.operate('POST', `/admin/v1/users/${member.userId}/keys`, { name: 'own' });
    expect(await statuses(member, member)).toEqual([200, 429]);
    expect((await bed.call(String(own.key))).status).toBe(200);
    expect((await bed.read(org)).body.liveSpend).toEqual({ minuteSpend: 0.1, hourSpend: 0.1 });
  });

  test('BRK-05 what was spent before it was switched on counts, and switching off and on forgets nothing', async () => {
    expect(await statuses(member, member)).toEqual([200, 200]);
    await bed.change(org, ofTeam(), { cbEnabled: true, cbHourlyUsd: 0.3 });
    expect(await statuses(mate, mate)).toEqual([200, 429]);
    await bed.change(org, ofTeam(), { cbEnabled: false });
    expect(await statuses(mate)).toEqual([200]);
    await bed.change(org, ofTeam(), { cbEnabled: true, cbHourlyUsd: 0.5 });
    expect(await statuses(mate, mate)).toEqual([200, 429]);
    expect((await bed.read(org, ofTeam())).body.liveSpend).toEqual({ minuteSpend: 0.5, hourSpend: 0.5 });
  });

  test('BRK-08 a change counts on the other gateway within seconds', async () => {
    expect((await bed.call(member.key, bed.doors.second)).status).toBe(200);
    const status = async () => (await bed.doors.second.chat(member.key, { model: 'openai/gratis' })).status;
    await bed.change(org, '', { cbEnabled: true, cbHourlyUsd: 0.1 });
    await expect.poll(status).toBe(429);
    await bed.change(org, '', { cbHourlyUsd: null });
    await expect.poll(status).toBe(200);
    await bed.change(org, ofTeam(), { cbHourlyUsd: 0.1 });
    await expect.poll(status).toBe(429);
    await bed.change(org, '', { cbEnabled: false });
    await expect.poll(status).toBe(200);
  });
});

describe('200 calls at once', () => {
  const burst = async (people: readonly Person[], gateways: number) => {
    const doors = bed.doors.take(gateways);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const { key } = people[index % people.length]!;
        return doors[index % doors.length]!.chatWhenReady(key, { model: 'openai/dime', max_tokens: 1 });
      }),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    return {
      served: 200 - refused.length,
      codes: [...new Set(refused.map(codeOf))],
      messages: new Set(refused.map(messageOf)),
    };
  };

  test.each([
    ['org', 1],
    ['org', 2],
    ['team', 2],
    ['member', 2],
  ] as const)(
    'BRK-05 RACE-2 a breaker of the %s for ten calls lets ten through: %i gateways',
    async (scope, gateways) => {
      const where = scope === 'org' ? '' : scope === 'team' ? ofTeam() : ofMember();
      // What calls hold counts too, and 200 of them hold more than the default limit of a minute.
      await bed.change(org, where, { cbEnabled: true, cbMinuteUsd: 100, cbHourlyUsd: 1 });
      if (scope === 'team')
        for (const { memberId } of [member, mate]) await bed.change(org, `/members/${memberId}`, { cbEnabled: false });
      const people = scope === 'member' ? [member] : scope === 'team' ? [member, mate] : [loner, org.admin];
      if (scope === 'org') for (const person of people) await bed.change(org, ofMember(person), { cbEnabled: false });
      const { served, codes, messages } = await burst(people, gateways);
      expect({ served, codes }).toEqual({ served: 10, codes: [429] });
      expect(messages).toEqual(new Set([tripped(scope, 'hour')]));
      expect((await bed.read(org, where)).body.liveSpend).toEqual({ minuteSpend: 1, hourSpend: 1 });
    },
  );
});

describe('the log', () => {
  const trips = async (): Promise<Json[]> =>
    (await bed.log(org)).filter(({ action }) => String(action).endsWith('.tripped'));

  test('ALOG-01 a trip is in it once per scope and window per hour, whichever gateway refuses', async () => {
    await bed.change(org, ofMember(), { cbEnabled: true, cbMinuteUsd: 0.1, cbHourlyUsd: 0.3 });
    const refuse = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        const door = time % 2 === 0 ? bed.doors.first : bed.doors.second;
        expect((await bed.call(member.key, door)).status).toBe(429);
      }
    };
    expect(await statuses(member)).toEqual([200]);
    await refuse(6);
    const minute = {
      action: 'org_member.cb.tripped',
      actor_kind: 'system',
      actor_user_id: null,
      actor_key_id: null,
      target_type: 'org_member',
      target_id: member.memberId,
      before: null,
    };
    await expect
      .poll(trips)
      .toEqual([{ ...minute, after: { window: 'minute', thresholdUsd: 0.1, resetsAt: '2026-03-10T12:01:00.000Z' } }]);
    bed.doors.clock.set('2026-03-10T12:01:00Z');
    expect(await statuses(member)).toEqual([200]);
    await refuse(4);
    // The third call also trips the breaker of the hour, which is another window.
    bed.doors.clock.set('2026-03-10T12:02:00Z');
    expect(await statuses(member)).toEqual([200]);
    bed.doors.clock.set('2026-03-10T12:03:00Z');
    await refuse(4);
    await expect
      .poll(async () => (await trips()).map(({ after }) => (after as Json).window))
      .toEqual(['minute', 'hour']);
    bed.doors.clock.set('2026-03-10T13:00:00Z');
    expect(await statuses(member)).toEqual([200]);
    await refuse(2);
    await expect.poll(async () => (await trips()).length).toBe(3);
  });

  test('ALOG-01 organization, team and member each have entries of their own', async () => {
    for (const where of [ofMember(), ofTeam(), '']) {
      await bed.change(org, where, { cbEnabled: true, cbHourlyUsd: 0.1 });
      if (where === ofMember()) expect(await statuses(member)).toEqual([200]);
      expect(await statuses(member, member)).toEqual([429, 429]);
    }
    await expect
      .poll(async () => (await trips()).map(({ action, target_id }) => [action, target_id]))
      .toEqual([
        ['org_member.cb.tripped', member.memberId],
        ['team.cb.tripped', teamId],
        ['org.cb.tripped', org.id],
      ]);
  });

  test('ALOG-01 a personal breaker belongs to no organization’s log', async () => {
    await bed.doors.setBreaker(member.key, { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect(await statuses(member, member)).toEqual([200, 429]);
    await bed.change(org, '', { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect(await statuses(member)).toEqual([429]);
    await expect.poll(async () => (await trips()).map(({ action }) => action)).toEqual(['org.cb.tripped']);
  });
});
