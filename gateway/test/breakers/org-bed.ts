// Organizations with teams and members on two gateways. People, credit and keys come from the operator API; teams and
// memberships are written as they are, because how they are managed is not what is tested here.

import { FrontDoors } from '../caps/front-doors.ts';
import type { Answer, Json } from '../harness.ts';

export type Person = Readonly<{ userId: string; memberId: string; key: string; managementKey: string }>;
export type Org = Readonly<{ id: string; admin: Person }>;
type Role = 'org_admin' | 'billing_viewer' | 'team_admin' | 'member';

export class OrgBed {
  readonly doors: FrontDoors;

  private constructor(doors: FrontDoors) {
    this.doors = doors;
  }

  static async open(): Promise<OrgBed> {
    return new OrgBed(await FrontDoors.open());
  }

  async org(): Promise<Org> {
    const { userId } = await this.doors.first.account(0);
    const made = await this.doors.first.operate('POST', '/admin/v1/orgs', {
      name: `Org ${crypto.randomUUID()}`,
      ownerUserId: userId,
    });
    const id = String(made.id);
    await this.doors.first.operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: 100, note: 'test' });
    const [member] = await this.doors.rows('select id from org_members where org_id = $1', [id]);
    return { id, admin: await this.#person(id, userId, String(member?.id)) };
  }

  async team(org: Org, name: string = crypto.randomUUID(), budgetUsd: number | null = null): Promise<string> {
    const id = `team-${crypto.randomUUID()}`;
    await this.doors.rows('insert into teams (id, org_id, name, monthly_budget_nano_usd) values ($1, $2, $3, $4)', [
      id,
      org.id,
      name,
      budgetUsd === null ? null : `${budgetUsd * 1e9}`,
    ]);
    return id;
  }

  async member(org: Org, teamId: string | null = null, role: Role = 'member'): Promise<Person> {
    const { userId } = await this.doors.first.account(0);
    const memberId = `mem-${crypto.randomUUID()}`;
    await this.doors.rows('insert into org_members (id, org_id, user_id, role, team_id) values ($1, $2, $3, $4, $5)', [
      memberId,
      org.id,
      userId,
      role,
      teamId,
    ]);
    return this.#person(org.id, userId, memberId);
  }

  async #person(orgId: string, userId: string, memberId: string): Promise<Person> {
    const path = `/admin/v1/orgs/${orgId}/keys`;
    const key = await this.doors.first.operate('POST', path, { name: 'calls', userId });
    const management = await this.doors.first.operate('POST', path, { name: 'manages', userId, keyType: 'management' });
    return { userId, memberId, key: String(key.key), managementKey: String(management.key) };
  }

  /** `where` is a path below the organization: `''`, `/teams/…` or `/members/…`. */
  read(org: Org, where = '', key = org.admin.managementKey): Promise<Answer> {
    return this.doors.first.request('GET', `/api/orgs/${org.id}${where}/circuit-breaker`, { key });
  }

  change(org: Org, where: string, body: unknown, key = org.admin.managementKey): Promise<Answer> {
    return this.doors.first.request('PATCH', `/api/orgs/${org.id}${where}/circuit-breaker`, { key, body });
  }

  /** A call of 10 cents. */
  call(key: string, door = this.doors.first): Promise<Answer> {
    return door.chat(key, { model: 'openai/quick', max_tokens: 1 });
  }

  /** The entries of the log that are about breakers, the oldest first. */
  async log(org: Org): Promise<Json[]> {
    const rows = await this.doors.rows(
      `select action, actor_kind, actor_user_id, actor_key_id, target_type, target_id, before, after
       from org_audit_log where org_id = $1 and action like '%.cb.%' order by position`,
      [org.id],
    );
    return rows as Json[];
  }

  close(): Promise<void> {
    return this.doors.close();
  }
}

export const messageOf = (answer: Answer): unknown => (answer.body.error as Json | undefined)?.message ?? null;
