// A gateway with an organization whose key is filtered, and a way to ask in every dialect with one text. Everything is
// made over HTTP; what went upstream is read from the simulator's record.

import { type Answer, type Harness, type HarnessOptions, type Json, startHarness } from '../harness.ts';

export type FilteredOrg = Readonly<{ id: string; adminKey: string; key: string; keyId: string; userId: string }>;

export type Dialect = 'chat' | 'responses' | 'messages';
export const DIALECTS: readonly Dialect[] = ['chat', 'responses', 'messages'];

const SPEECH = {
  name: 'speech',
  input_modalities: ['text'],
  output_modalities: ['speech'],
  pricing: { character: '0.00001' },
};
const EMBEDDING = {
  name: 'embedding',
  input_modalities: ['text'],
  output_modalities: ['embeddings'],
  pricing: { prompt: '0.1' },
};

export class GuardBed {
  readonly harness: Harness;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  async org(creditUsd = 50): Promise<FilteredOrg> {
    const { harness } = this;
    const { userId } = await harness.account(0);
    const { id } = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId });
    await harness.operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: creditUsd, note: '' });
    const make = (keyType: string): Promise<Json> =>
      harness.operate('POST', `/admin/v1/orgs/${id}/keys`, { name: keyType, keyType, userId });
    const [admin, standard] = await Promise.all([make('management'), make('standard')]);
    return {
      id: String(id),
      adminKey: String(admin.key),
      key: String(standard.key),
      keyId: String(standard.id),
      userId,
    };
  }

  filters(org: FilteredOrg, method: string, path = '', body?: unknown): Promise<Answer> {
    const options = { key: org.adminKey, ...(body === undefined ? {} : { body }) };
    return this.harness.request(method, `/api/orgs/${org.id}/content-filters${path}`, options);
  }

  async rule(org: FilteredOrg, rule: Json): Promise<string> {
    const answer = await this.filters(org, 'POST', '', { name: 'A rule', action: 'block', ...rule });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return String(answer.body.id);
  }

  /** An organization with exactly these rules. */
  async filtered(...rules: readonly Json[]): Promise<FilteredOrg> {
    const org = await this.org();
    for (const rule of rules) await this.rule(org, rule);
    return org;
  }

  ask(key: string, dialect: Dialect, text: string): Promise<Answer> {
    const messages = [{ role: 'user', content: text }];
    if (dialect === 'chat') return this.harness.chat(key, { model: 'openai/test', messages });
    const [path, body] =
      dialect === 'responses'
        ? ['/v1/responses', { model: 'openai/test', input: text }]
        : ['/v1/messages', { model: 'openai/test', max_tokens: 64, messages }];
    return this.harness.request('POST', path, { key, body });
  }

  /** How many calls have reached the upstream. */
  get upstreamCalls(): number {
    return this.harness.simulator.requests.length;
  }

  async log(org: FilteredOrg, action: string): Promise<readonly Json[]> {
    const path = `/api/orgs/${org.id}/audit-log?action=${action}`;
    const { body } = await this.harness.request('GET', path, { key: org.adminKey });
    return body.entries as Json[];
  }
}

export async function startGuardBed(options: HarnessOptions = {}): Promise<GuardBed> {
  const models = { 'openai/speech': { entry: SPEECH }, 'openai/embedding': { entry: EMBEDDING }, ...options.models };
  return new GuardBed(await startHarness({ ...options, models }));
}

export const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;
export const typeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.type;
export const messageOf = ({ body }: Answer): string => String((body.error as Json | undefined)?.message);
