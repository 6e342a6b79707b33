// The front doors of two gateways on one database, with models of round prices and a clock that a test sets.

import type { Answer, Harness, Json } from '../harness.ts';
import { SetClock } from './set-clock.ts';
import { type Gateways, startTwoGateways } from './two-gateways.ts';

export const START = '2026-03-10T12:00:00Z';
export const breakerPath = '/v1/account/circuit-breaker';

const flat = (request: string) => ({ pricing: { prompt: '0', completion: '0', request } });

const models = {
  'openai/dime': { commands: 'tokens-10-10+wait-50', entry: flat('0.1') },
  'openai/quick': { commands: 'tokens-10-10', entry: flat('0.1') },
  'openai/penny': { commands: 'tokens-10-10', entry: flat('0.01') },
  'openai/two-pennies': { commands: 'tokens-10-10', entry: flat('0.02') },
  'openai/gratis': { commands: 'tokens-10-10', entry: { pricing: { prompt: '0', completion: '0' } } },
  'openai/unpriced': { entry: { pricing: undefined } },
  'openai/exact': { commands: 'tokens-1000-50' },
  'openai/long': { commands: 'tokens-10-9000+chunks-9000' },
};

export const codeOf = (answer: Answer): unknown => (answer.body.error as Json | undefined)?.code ?? null;

export class FrontDoors {
  readonly clock: SetClock;
  readonly gateways: Gateways;

  private constructor(clock: SetClock, gateways: Gateways) {
    this.clock = clock;
    this.gateways = gateways;
  }

  static async open(): Promise<FrontDoors> {
    const clock = new SetClock(START);
    return new FrontDoors(clock, await startTwoGateways({ models, start: { clock } }));
  }

  get first(): Harness {
    return this.gateways.first;
  }

  get second(): Harness {
    return this.gateways.second;
  }

  take(count: number): Harness[] {
    return [this.first, this.second].slice(0, count);
  }

  rows(text: string, values?: unknown[]): Promise<Record<string, string>[]> {
    return this.gateways.rows(text, values);
  }

  async limitKey(keyId: string, limitUsd: string | null, period: string | null = null): Promise<void> {
    await this.rows(
      'update api_keys set spend_limit_nano_usd = ($2::numeric * 1000000000)::bigint, spend_limit_period = $3 where id = $1',
      [keyId, limitUsd, period],
    );
  }

  setBreaker(key: string, body: unknown, door = this.first): Promise<Answer> {
    return door.request('PATCH', breakerPath, { key, body });
  }

  /** The key of an organization's only member, who is in its only team. */
  async orgKey(budgets: { member?: string; team?: string }): Promise<{ key: string; orgId: string }> {
    const { userId } = await this.first.account(0);
    const org = await this.first.operate('POST', '/admin/v1/orgs', { name: crypto.randomUUID(), ownerUserId: userId });
    const orgId = String(org.id);
    await this.first.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 100, note: 'test' });
    const key = await this.first.operate('POST', `/admin/v1/orgs/${orgId}/keys`, { name: 'test', userId });
    const nano = (usd: string | undefined) => (usd === undefined ? null : `${Number(usd) * 1e9}`);
    const teamId = `tea-${orgId}`;
    await this.rows('insert into teams (id, org_id, name, monthly_budget_nano_usd) values ($1, $2, $3, $4)', [
      teamId,
      orgId,
      'one',
      nano(budgets.team),
    ]);
    await this.rows('update org_members set team_id = $2, monthly_budget_nano_usd = $3 where org_id = $1', [
      orgId,
      teamId,
      nano(budgets.member),
    ]);
    return { key: String(key.key), orgId };
  }

  close(): Promise<void> {
    return this.gateways.close();
  }
}
