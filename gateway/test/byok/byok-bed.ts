// A gateway with an organization, its keys, and a second simulator that plays the upstream which the organization
// brings.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RecordedRequest, type Simulator, startSimulator } from '@tollgate/simulator';
import { type Answer, type Harness, type HarnessOptions, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';

export const API_KEY = 'canary-upstream-key-5e81c2';

export type Org = Readonly<{ id: string; ownerId: string; managementKey: string; key: string; keyId: string }>;

export class ByokBed {
  readonly harness: Harness;
  readonly upstream: Simulator;

  constructor(harness: Harness, upstream: Simulator) {
    this.harness = harness;
    this.upstream = upstream;
  }

  /** An organization whose founder has a management key and a standard key of it. */
  async org(creditUsd = 0): Promise<Org> {
    const { harness } = this;
    const { userId: ownerId } = await harness.account(0);
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ownerId });
    const id = String(org.id);
    if (creditUsd > 0)
      await harness.operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: creditUsd, note: '' });
    const management = await this.orgKey(id, ownerId, 'management');
    const standard = await this.orgKey(id, ownerId, 'standard');
    return { id, ownerId, managementKey: management.key, key: standard.key, keyId: standard.id };
  }

  async orgKey(orgId: string, userId: string, keyType: string): Promise<{ id: string; key: string }> {
    const body = { name: keyType, keyType, userId };
    const key = await this.harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, body);
    return { id: String(key.id), key: String(key.key) };
  }

  manage(key: string, method: string, id = '', body?: unknown): Promise<Answer> {
    const path = `/v1/management/byok-keys${id === '' ? '' : `/${id}`}`;
    return this.harness.request(method, path, { key, ...(body === undefined ? {} : { body }) });
  }

  /** A key of the second simulator, for one model unless said. */
  body(overrides: Json = {}): Json {
    return {
      name: 'ours',
      baseUrl: `${this.upstream.url}/v1`,
      apiKey: API_KEY,
      modelMappings: [{ model: 'openai/test', upstreamModel: 'simulated-small', enabled: true }],
      ...overrides,
    };
  }

  async create(org: Org, overrides: Json = {}): Promise<Json> {
    const answer = await this.manage(org.managementKey, 'POST', '', this.body(overrides));
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** An organization whose calls go to this server alone. */
  async orgOf(server: Server, overrides: Json = {}, creditUsd = 0): Promise<Org> {
    const org = await this.org(creditUsd);
    const { port } = server.address() as AddressInfo;
    await this.create(org, { baseUrl: `http://127.0.0.1:${port}/v1`, fallbackMode: 'strict', ...overrides });
    return org;
  }

  async gauge(name: string): Promise<number> {
    const { text } = await this.harness.request('GET', '/metrics');
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  /** What the customer's upstream was sent, without the requests for its list of models. */
  calls(): readonly RecordedRequest[] {
    return this.upstream.requests.filter(({ method }) => method === 'POST');
  }

  platformCalls(): readonly RecordedRequest[] {
    return this.harness.simulator.requests.filter(({ method }) => method === 'POST');
  }

  clear(): void {
    for (const simulator of [this.upstream, this.harness.simulator]) {
      simulator.clearRequests();
      simulator.clearScripts();
    }
  }

  async generation(key: string, id: unknown): Promise<Json> {
    for (let round = 0; ; round += 1) {
      const answer = await this.harness.request('GET', `/v1/generation?id=${String(id)}`, { key });
      if (answer.status === 200) return answer.body.data as Json;
      // A record of a call that was not charged is written with the next batch.
      if (round === 6_000) throw new Error(answer.text);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async close(): Promise<void> {
    await this.harness.close();
    await this.upstream.close();
  }
}

/** An upstream that waits for the test says nothing meanwhile, on a busy machine for more than the usual minute. */
const timeouts = { connectMs: PATIENCE_MS, streamFirstByteMs: PATIENCE_MS, idleMs: PATIENCE_MS };

/** Of a 503: others come from a database that takes long on a busy machine, and are no reason to fail. */
export const isForLackOfRoom = (text: string): boolean => text.includes('large answers');

export async function startByokBed(options: HarnessOptions = {}): Promise<ByokBed> {
  const upstream = await startSimulator();
  const env = { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8', ...options.env };
  const start = { timeouts, ...options.start };
  return new ByokBed(await startHarness({ ...options, env, start }), upstream);
}
