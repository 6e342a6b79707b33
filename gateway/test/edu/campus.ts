// An institution with its gateway: an organization with credit, an administrator, keys for students, and the folder for
// their mails. Each student comes from a network address of their own unless a test says otherwise.

import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Answer, HarnessOptions, Json, ModelSpec } from '../harness.ts';
import { openTown, type Town } from '../signin/people.ts';

const ADDRESS_HEADER = 'x-client-address';

const EMBEDDING_MODEL: ModelSpec = {
  entry: {
    context_length: 8192,
    input_modalities: ['text'],
    output_modalities: ['embeddings'],
    pricing: { prompt: '2' },
  },
};

/** A dollar for a call, whatever its tokens. */
export const DOLLAR_MODEL: ModelSpec = {
  commands: 'tokens-10-10',
  entry: { pricing: { prompt: '0', completion: '0', request: '1' } },
};

/** Twenty tokens a call, for next to nothing. */
export const SMALL_MODEL: ModelSpec = { commands: 'tokens-10-10' };

export type Campus = Readonly<{ orgId: string; adminKey: string; adminUserId: string; key: string; keyId: string }>;

export type Student = Readonly<{ email: string; token: string; expiresAt: string; organization: Json }>;

let addresses = 0;

/** A network address that nobody has used. */
export function newAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export const newEmail = (domain = 'uni.example'): string => `s-${crypto.randomUUID()}@${domain}`;

/** A test moves only the wall clock, so that timers and leases of money run as usual, or lets time pass for both. */
export class WallClock implements Clock {
  #shiftMs = 0;
  #passedMs = 0;

  move(durationMs: number): void {
    this.#shiftMs += durationMs;
  }

  pass(durationMs: number): void {
    this.move(durationMs);
    this.#passedMs += durationMs;
  }

  readonly nowMs = (): number => Date.now() + this.#shiftMs;
  readonly monotonicMs = (): number => systemClock.monotonicMs() + this.#passedMs;
  readonly every = systemClock.every;
  readonly sleep = systemClock.sleep;
}

export class EduBed {
  readonly town: Town;
  readonly clock: WallClock;

  constructor(town: Town, clock: WallClock) {
    this.town = town;
    this.clock = clock;
  }

  get harness(): Town['harness'] {
    return this.town.harness;
  }

  /** An organization for everybody with an address at uni.example. */
  async campus(config: Json = {}, creditUsd = 100): Promise<Campus> {
    const { harness } = this;
    const email = `admin-${crypto.randomUUID()}@example.test`;
    const adminUserId = String((await harness.operate('POST', '/admin/v1/users', { email, name: 'Admin' })).id);
    const made = await harness.operate('POST', '/admin/v1/orgs', { name: 'Uni', ownerUserId: adminUserId });
    const orgId = String(made.id);
    await harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: creditUsd, note: 'start' });
    const fields = { name: 'admin', keyType: 'management', userId: adminUserId };
    const adminKey = String((await harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, fields)).key);
    const admin = { orgId, adminKey };
    await this.configure(admin, { allowedDomains: ['uni.example'], ...config });
    const created = await this.manage(admin, 'POST', '/keys', { name: 'course' });
    return { ...admin, adminUserId, key: String(created.body.key), keyId: String(created.body.id) };
  }

  manage(campus: Pick<Campus, 'orgId' | 'adminKey'>, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.harness.request(method, `/api/orgs/${campus.orgId}/edu${path}`, {
      key: campus.adminKey,
      ...(body === undefined ? {} : { body }),
    });
  }

  async configure(campus: Pick<Campus, 'orgId' | 'adminKey'>, config: Json): Promise<Json> {
    const answer = await this.manage(campus, 'PATCH', '/config', config);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  }

  requestCode(key: string, email: string, address = newAddress()): Promise<Answer> {
    return this.form('request-code', { key, email }, address);
  }

  verify(key: string, email: string, code: string, address = newAddress()): Promise<Answer> {
    return this.form('verify', { key, email, code }, address);
  }

  form(name: string, body: unknown, address = newAddress()): Promise<Answer> {
    return this.harness.request('POST', `/api/edu/${name}`, { body, headers: { [ADDRESS_HEADER]: address } });
  }

  /** The code of the last of so many mails to an address. */
  async code(email: string, count = 1): Promise<string> {
    const code = /Your code: (\d{6})\n/.exec((await this.town.mail(email, count)).replaceAll('\r', ''))?.[1];
    if (code === undefined) throw new Error('the mail has no code');
    return code;
  }

  /** Asks for a code and waits for the mail. */
  async mailedCode(key: string, email: string): Promise<string> {
    const count = (await this.town.mails(email)).length;
    const asked = await this.requestCode(key, email);
    if (asked.status !== 200) throw new Error(`${asked.status} ${asked.text}`);
    return this.code(email, count + 1);
  }

  async student({ key }: Pick<Campus, 'key'>, email = newEmail()): Promise<Student> {
    const answer = await this.verify(key, email, await this.mailedCode(key, email));
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    const { token, expiresAt, organization } = answer.body;
    return { email, token: String(token), expiresAt: String(expiresAt), organization: organization as Json };
  }

  chat(token: string, body: Json = {}): Promise<Answer> {
    return this.harness.chat(token, { model: 'openai/test', ...body });
  }

  async sessions(campus: Campus, query = ''): Promise<Json[]> {
    const { body } = await this.manage(campus, 'GET', `/sessions${query}`);
    return body.sessions as Json[];
  }

  async log(campus: Campus, action: string): Promise<Json[]> {
    const { body } = await this.harness.request('GET', `/api/orgs/${campus.orgId}/audit-log?action=${action}`, {
      key: campus.adminKey,
    });
    return body.entries as Json[];
  }

  close(): Promise<void> {
    return this.town.close();
  }
}

export async function openEduBed(options: HarnessOptions = {}): Promise<EduBed> {
  const models = {
    'acme/embed': EMBEDDING_MODEL,
    'acme/dollar': DOLLAR_MODEL,
    'acme/small': SMALL_MODEL,
    ...options.models,
  };
  const env = {
    TOLLGATE_CLIENT_IP_HEADER: ADDRESS_HEADER,
    TOLLGATE_TRUSTED_PROXIES: '127.0.0.1/32',
    ...options.env,
  };
  const clock = new WallClock();
  const start = { clock, ...options.start };
  return new EduBed(await openTown({ ...options, models, env, start }), clock);
}

export const pause = (durationMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, durationMs));

/** How many answers there are of each status. */
export function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
