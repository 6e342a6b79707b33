// Organizations with people in every role, each with a management key of their own, as the tests of this folder need
// them. Everything is made over HTTP.

import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';

export type Person = Readonly<{ userId: string; email: string; key: string }>;

export class OrgBed {
  readonly harness: Harness;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  /** A person with a management key that is bound to no organization. */
  async person(keyType: 'management' | 'standard' = 'management'): Promise<Person> {
    const email = `person-${crypto.randomUUID()}@example.test`;
    const user = await this.harness.operate('POST', '/admin/v1/users', { email, name: 'Person' });
    const userId = String(user.id);
    const key = await this.harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'own', keyType });
    return { userId, email, key: String(key.key) };
  }

  async organization(terms: Json = {}): Promise<{ id: string; admin: Person }> {
    const admin = await this.person();
    const body = { name: 'Acme', ownerUserId: admin.userId, ...terms };
    const created = await this.harness.operate('POST', '/admin/v1/orgs', body);
    return { id: String(created.id), admin };
  }

  /** A person in the organization; the body says in which role. */
  async member(org: { id: string; admin: Person }, body: Json = {}): Promise<Person & { memberId: string }> {
    const person = await this.person();
    const path = `/v1/orgs/${org.id}/members`;
    const added = await this.call(org.admin, 'POST', path, { email: person.email, ...body });
    if (added.status !== 201) throw new Error(`${added.status} ${added.text}`);
    return { ...person, memberId: String(added.body.id) };
  }

  async team(org: { id: string; admin: Person }, body: Json = {}): Promise<string> {
    const fields = { name: `Team ${crypto.randomUUID()}`, ...body };
    const created = await this.call(org.admin, 'POST', `/v1/orgs/${org.id}/teams`, fields);
    if (created.status !== 201) throw new Error(`${created.status} ${created.text}`);
    return String(created.body.id);
  }

  /** A key of the organization that a member holds. */
  async orgKey(orgId: string, userId: string, body: Json = {}): Promise<string> {
    const fields = { name: 'org', keyType: 'standard', userId, ...body };
    return String((await this.harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, fields)).key);
  }

  async memberIdOf(org: { id: string; admin: Person }, userId: string): Promise<string> {
    const { body } = await this.call(org.admin, 'GET', `/v1/orgs/${org.id}/members`);
    const members = body.members as { id: string; user: { id: string } }[];
    return members.find(({ user }) => user.id === userId)?.id ?? '';
  }

  call(person: Pick<Person, 'key'>, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.harness.request(method, path, { key: person.key, ...(body === undefined ? {} : { body }) });
  }

  async credit(orgId: string, amountUsd: number): Promise<void> {
    await this.harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd, note: 'test' });
  }

  /** The entries of the log, newest first. */
  async log(org: { id: string; admin: Person }, query = ''): Promise<LogEntry[]> {
    const { body } = await this.call(org.admin, 'GET', `/api/orgs/${org.id}/audit-log${query}`);
    return body.entries as LogEntry[];
  }
}

export type LogEntry = Readonly<{
  id: string;
  action: string;
  actor: Json;
  targetType: string;
  targetId: string;
  before: Json | null;
  after: Json | null;
  createdAt: string;
}>;

/** One dollar for a call, whatever its tokens. */
export const DOLLAR_MODEL = {
  commands: 'tokens-10-10',
  entry: { pricing: { prompt: '0', completion: '0', request: '1' } },
};

export async function startOrgBed(options: Parameters<typeof startHarness>[0] = {}): Promise<OrgBed> {
  return new OrgBed(await startHarness(options));
}

export const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;
export const messageOf = ({ body }: Answer): string => String((body.error as Json | undefined)?.message);
