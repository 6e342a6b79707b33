// Organizations' own upstream keys through the front door: who may manage them, what is accepted, and what is shown.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { API_KEY, type ByokBed, type Org, startByokBed } from './byok-bed.ts';

let bed: ByokBed;
let org: Org;
let other: Org;

beforeAll(async () => {
  bed = await startByokBed({ models: { 'openai/second': {}, 'openai/third': {} } });
  org = await bed.org();
  other = await bed.org();
});

beforeEach(() => bed.clear());
afterAll(() => bed.close());

const errorOf = (body: Json): Json => body.error as Json;
const mapping = (model: string, upstreamModel = 'simulated-small', enabled = true): Json => ({
  model,
  upstreamModel,
  enabled,
});

describe('who', () => {
  test('BYOK-01 AUTH-04 only management keys of an organization come in', async () => {
    const { harness } = bed;
    const { userId, key } = await harness.account();
    const unbound = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, {
      name: 'm',
      keyType: 'management',
    });
    const id = String((await bed.create(org)).id);
    const calls: [string, string, unknown?][] = [
      ['GET', ''],
      ['POST', '', bed.body()],
      ['GET', id],
      ['PATCH', id, { name: 'x' }],
      ['DELETE', id],
    ];
    for (const [method, place, body] of calls) {
      for (const refused of [org.key, key, String(unbound.key)]) {
        expect((await bed.manage(refused, method, place, body)).status, `${method} ${place}`).toBe(403);
      }
      expect((await bed.manage('sk-tg-none', method, place, body)).status).toBe(401);
    }
    expect((await bed.manage(org.managementKey, 'GET', id)).status).toBe(200);
  });

  test('BYOK-01 ORG-19 a management key of a plain member does not decide where prompts go', async () => {
    const { harness } = bed;
    const { userId } = await harness.account(0);
    const user = await harness.operate('GET', `/admin/v1/users/${userId}`).catch(() => null);
    const email = String(user?.email ?? '');
    const added = await harness.request('POST', `/v1/orgs/${org.id}/members`, {
      key: org.managementKey,
      body: { email },
    });
    expect(added.status).toBe(201);
    const { key } = await bed.orgKey(org.id, userId, 'management');
    expect((await bed.manage(key, 'GET')).status).toBe(403);
    expect((await bed.manage(key, 'POST', '', bed.body())).status).toBe(403);
  });

  test('BYOK-09 another organization has no such key, and neither has nobody', async () => {
    const id = String((await bed.create(org)).id);
    for (const [method, body] of [['GET'], ['PATCH', { name: 'mine' }], ['DELETE']] as const) {
      const foreign = await bed.manage(other.managementKey, method, id, body);
      const missing = await bed.manage(other.managementKey, method, 'byok-000000000000000000000000', body);
      expect([foreign.status, missing.status]).toEqual([404, 404]);
      expect(foreign.body).toEqual(missing.body);
    }
    expect((await bed.manage(org.managementKey, 'GET', id)).body.name).toBe('ours');
    const listed = (await bed.manage(other.managementKey, 'GET')).body.keys as Json[];
    expect(listed.map((key) => key.id)).not.toContain(id);
  });

  test('BYOK-02 ORG-02 the console has the same routes, for administrators of that organization', async () => {
    const request = (orgId: string, key: string) => bed.harness.request('GET', `/api/orgs/${orgId}/byok-keys`, { key });
    const own = await bed.create(org);
    const answer = await request(org.id, org.managementKey);
    expect(answer.status).toBe(200);
    expect((answer.body.keys as Json[]).map((key) => key.id)).toContain(own.id);
    expect((await request(org.id, other.managementKey)).status).toBe(404);
    expect((await request(org.id, org.key)).status).toBe(403);
    const path = `/api/orgs/${org.id}/byok-keys/${String(own.id)}`;
    expect((await bed.harness.request('DELETE', path, { key: other.managementKey })).status).toBe(404);
    expect((await bed.harness.request('DELETE', path, { key: org.managementKey })).status).toBe(204);
  });
});

describe('creation', () => {
  test('BYOK-03 BYOK-07 BYOK-14 the answer is the key with all its fields, and the sync', async () => {
    const answer = await bed.manage(
      org.managementKey,
      'POST',
      '',
      bed.body({ fallbackMode: 'strict', scopedApiKeyIds: [org.keyId] }),
    );
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^byok-[0-9a-f]{24}$/),
      name: 'ours',
      baseUrl: `${bed.upstream.url}/v1`,
      keyMask: '********81c2',
      protocol: 'openai',
      fallbackMode: 'strict',
      modelMappings: [mapping('openai/test')],
      scopedApiKeyIds: [org.keyId],
      enabled: true,
      health: { status: 'healthy', lastCheckedAt: expect.any(String), lastError: null },
      createdAt: expect.any(String),
      sync: { matched: ['openai/test'], unmatched: [], stale: [] },
    });
    const { sync: _, ...shown } = answer.body;
    const one = await bed.manage(org.managementKey, 'GET', String(answer.body.id));
    expect(one.body).toEqual(shown);
    expect((await bed.manage(org.managementKey, 'GET')).body.keys).toContainEqual(shown);
  });

  test.each(['name', 'baseUrl', 'apiKey'])('BYOK-03 without %s it is refused', async (field) => {
    const { [field]: _, ...body } = bed.body();
    const answer = await bed.manage(org.managementKey, 'POST', '', body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer.body)).toMatchObject({
      code: 'missing_required_field',
      message: expect.stringContaining(field),
    });
  });

  test('BYOK-03 BYOK-04 what has a default has it', async () => {
    const { modelMappings: _, ...body } = bed.body();
    const answer = await bed.manage(org.managementKey, 'POST', '', body);
    expect(answer.body).toMatchObject({
      protocol: 'openai',
      fallbackMode: 'seamless',
      modelMappings: [],
      scopedApiKeyIds: [],
      enabled: true,
    });
    expect(answer.body.sync).toEqual({ matched: [], unmatched: [], stale: [] });
  });

  test.each<[string, Json]>([
    ['name', { name: '' }],
    ['name', { name: 7 }],
    ['name', { name: 'nul\u0000' }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 'two words' }],
    ['apiKey', { apiKey: 'line\r\nx-injected: 1' }],
    ['protocol', { protocol: 'grpc' }],
    ['fallbackMode', { fallbackMode: 'never' }],
    ['enabled', { enabled: 'yes' }],
    ['scopedApiKeyIds', { scopedApiKeyIds: 'key' }],
    ['scopedApiKeyIds.0', { scopedApiKeyIds: ['\u0000'] }],
    ['modelMappings', { modelMappings: {} }],
    ['modelMappings.0.upstreamModel', { modelMappings: [{ model: 'openai/test' }] }],
    ['modelMappings.1.model', { modelMappings: [mapping('openai/test'), mapping('openai/test', 'x')] }],
    ['baseUrl', { baseUrl: 'https://no-such-host.invalid/v1' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1:9/v1?x=1' }],
  ])('BYOK-03 BYOK-04 a bad value is refused by its name: %s', async (field, change) => {
    const answer = await bed.manage(org.managementKey, 'POST', '', bed.body(change));
    expect(answer.status).toBe(400);
    expect(String(errorOf(answer.body).message).startsWith(`${field}:`), answer.text).toBe(true);
  });

  test('BYOK-06 keys of others, unknown keys and revoked keys are no scope', async () => {
    for (const foreign of [other.keyId, 'key-nothing']) {
      const answer = await bed.manage(
        org.managementKey,
        'POST',
        '',
        bed.body({ scopedApiKeyIds: [org.keyId, foreign] }),
      );
      expect(answer.status).toBe(400);
      expect(errorOf(answer.body).message).toContain('scopedApiKeyIds.1');
    }
    const { id } = await bed.orgKey(org.id, org.ownerId, 'standard');
    const revoked = await bed.harness.request('DELETE', `/v1/keys/${id}`, { key: org.managementKey });
    expect(revoked.status).toBe(204);
    expect((await bed.manage(org.managementKey, 'POST', '', bed.body({ scopedApiKeyIds: [id] }))).status).toBe(400);
  });

  test('BYOK-06 a key that is revoked later may stay in the scope, which would else become every key', async () => {
    const scoped = await bed.orgKey(org.id, org.ownerId, 'standard');
    const byokKey = await bed.create(org, { scopedApiKeyIds: [scoped.id] });
    await bed.harness.request('DELETE', `/v1/keys/${scoped.id}`, { key: org.managementKey });
    const change = (scopedApiKeyIds: readonly string[]) =>
      bed.manage(org.managementKey, 'PATCH', String(byokKey.id), { scopedApiKeyIds });
    const widened = await change([scoped.id, org.keyId]);
    expect(widened.status, widened.text).toBe(200);
    expect(widened.body.scopedApiKeyIds).toEqual([scoped.id, org.keyId]);
    // Once taken out, it is a revoked key like any other.
    expect((await change([org.keyId])).status).toBe(200);
    const again = await change([org.keyId, scoped.id]);
    expect(again.status).toBe(400);
    expect(errorOf(again.body).message).toContain('scopedApiKeyIds.1');
  });

  test('BYOK-07 the sync compares the mappings with the catalog and with what the upstream lists', async () => {
    const modelMappings = [
      mapping('openai/test'),
      mapping('openai/second', 'not-listed'),
      mapping('nosuch/model'),
      mapping('openai/third', 'simulated-large', false),
    ];
    const created = await bed.create(org, { modelMappings });
    expect(created.sync).toEqual({
      matched: ['openai/test', 'openai/third'],
      unmatched: ['nosuch/model'],
      stale: ['openai/second'],
    });
    const anthropic = await bed.create(org, { modelMappings, protocol: 'anthropic' });
    expect(anthropic.sync).toEqual(created.sync);
    const list = bed.upstream.requests.filter(({ method }) => method === 'GET').at(-1);
    expect(list?.headers['x-api-key']).toBe(API_KEY);
    bed.upstream.script('status-404', { path: '/models' });
    expect((await bed.create(org, { modelMappings })).sync).toEqual({
      matched: ['openai/test', 'openai/second', 'openai/third'],
      unmatched: ['nosuch/model'],
      stale: [],
    });
  });

  test('BYOK-03 BYOK-14 an upstream that is down, or refuses the key, is told in its health', async () => {
    bed.upstream.script('status-401', { path: '/models' });
    const refused = await bed.create(org);
    expect(refused.health).toMatchObject({ status: 'unhealthy', lastError: 'The upstream does not accept the key.' });
    const down = await bed.create(org, { baseUrl: 'http://127.0.0.1:1024/v1' });
    expect(down.health).toMatchObject({ status: 'unhealthy', lastError: 'The upstream cannot be reached.' });
  });
});

describe('changes', () => {
  test('BYOK-10 every field can be changed by itself, and nothing else changes with it', async () => {
    const created = await bed.create(org, { modelMappings: [mapping('openai/test'), mapping('openai/second')] });
    const id = String(created.id);
    const { sync: _, ...expected } = created;
    const changes: Json[] = [
      { name: 'renamed' },
      { fallbackMode: 'strict' },
      { protocol: 'anthropic' },
      { enabled: false },
      { scopedApiKeyIds: [org.keyId] },
      { scopedApiKeyIds: [] },
      { baseUrl: `${bed.upstream.url}/other/v1` },
      { modelMappings: [mapping('openai/third')] },
      {},
    ];
    for (const change of changes) {
      Object.assign(expected, change);
      const answer = await bed.manage(org.managementKey, 'PATCH', id, change);
      expect([answer.status, answer.body]).toEqual([200, expected]);
      expect((await bed.manage(org.managementKey, 'GET', id)).body).toEqual(expected);
    }
  });

  test('BYOK-10 modelToggles flips the models it lists and no other', async () => {
    const { id } = await bed.create(org, {
      modelMappings: [mapping('openai/test'), mapping('openai/second'), mapping('openai/third', 'x', false)],
    });
    const toggles = { 'openai/test': false, 'openai/third': true };
    const answer = await bed.manage(org.managementKey, 'PATCH', String(id), { modelToggles: toggles });
    expect(answer.body.modelMappings).toEqual([
      mapping('openai/test', 'simulated-small', false),
      mapping('openai/second'),
      mapping('openai/third', 'x', true),
    ]);
    for (const modelToggles of [{ 'openai/unmapped': true }, { 'openai/test': 'no' }, ['openai/test']]) {
      expect((await bed.manage(org.managementKey, 'PATCH', String(id), { modelToggles })).status).toBe(400);
    }
    expect((await bed.manage(org.managementKey, 'GET', String(id))).body.modelMappings).toEqual(
      answer.body.modelMappings,
    );
  });

  test('BYOK-06 BYOK-10 a scope with a foreign key changes nothing', async () => {
    const { id } = await bed.create(org, { scopedApiKeyIds: [org.keyId] });
    const answer = await bed.manage(org.managementKey, 'PATCH', String(id), {
      name: 'x',
      scopedApiKeyIds: [other.keyId],
    });
    expect(answer.status).toBe(400);
    const kept = await bed.manage(org.managementKey, 'GET', String(id));
    expect(kept.body).toMatchObject({ name: 'ours', scopedApiKeyIds: [org.keyId] });
  });

  test('BYOK-11 the key of the upstream cannot be replaced', async () => {
    const { id } = await bed.create(org);
    for (const apiKey of ['another-key-another-key', null, 7]) {
      const answer = await bed.manage(org.managementKey, 'PATCH', String(id), { apiKey });
      expect(answer.status).toBe(400);
      expect(errorOf(answer.body)).toMatchObject({
        code: 'unsupported_param',
        message: expect.stringContaining('apiKey'),
      });
    }
    expect(errorOf((await bed.manage(org.managementKey, 'PATCH', String(id), { keyMask: 'x' })).body).code).toBe(
      'unsupported_param',
    );
  });

  test('BYOK-08 BYOK-11 a stored key is not sent to an address that it was not given for', async () => {
    const { id } = await bed.create(org);
    for (const baseUrl of ['http://127.0.0.1:1024/v1', bed.upstream.url.replace('127.0.0.1', '127.0.0.2')]) {
      const answer = await bed.manage(org.managementKey, 'PATCH', String(id), { baseUrl });
      expect(answer.status).toBe(400);
      expect(errorOf(answer.body).message).toContain('baseUrl:');
    }
  });

  test('BYOK-12 a deleted key is gone, and its mappings with it', async () => {
    const { id } = await bed.create(org);
    const answer = await bed.manage(org.managementKey, 'DELETE', String(id));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await bed.manage(org.managementKey, 'GET', String(id))).status).toBe(404);
    expect((await bed.manage(org.managementKey, 'DELETE', String(id))).status).toBe(404);
  });

  test('ALOG-03 ALOG-05 every change is in the log, without the key', async () => {
    const { id } = await bed.create(org);
    await bed.manage(org.managementKey, 'PATCH', String(id), { name: 'renamed' });
    await bed.manage(org.managementKey, 'DELETE', String(id));
    const log = await bed.harness.request('GET', `/api/orgs/${org.id}/audit-log`, { key: org.managementKey });
    const entries = (log.body.entries as Json[]).filter((entry) => entry.targetId === id);
    expect(entries.map((entry) => entry.action)).toEqual([
      'org.byok_key.delete',
      'org.byok_key.update',
      'org.byok_key.create',
    ]);
    expect(entries[1]).toMatchObject({ before: { name: 'ours' }, after: { name: 'renamed' } });
    expect(log.text).not.toContain(API_KEY);
  });
});
