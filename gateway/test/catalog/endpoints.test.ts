// The catalog over HTTP: the public listing as SDKs read it, and the operator's config and auto tables.

import { OpenAI } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  changeAutoTierEndpoint,
  readAutoTierEndpoint,
  readConfigEndpoint,
  replaceConfigEndpoint,
} from '../../src/endpoints/admin/config.ts';
import { listImageModelsEndpoint } from '../../src/endpoints/models/list-image-models.ts';
import { listModelsEndpoint } from '../../src/endpoints/models/list-models.ts';
import { retrieveModelEndpoint } from '../../src/endpoints/models/retrieve-model.ts';
import { type Catalog, createCatalog } from '../../src/modules/catalog/catalog.ts';
import { parseDocumentText } from '../../src/modules/catalog/parse-document.ts';
import { openPriceBook } from '../../src/modules/vendors/price-book.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { deriveKey } from '../../src/platform/crypto.ts';
import type { Database, Notices } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { type Edge, route, startEdge } from '../edge/edge.ts';
import { SAMPLE } from './sample-catalog.ts';

const OPERATOR = { userId: null, email: null, role: 'owner' } as const;

let fresh: FreshDatabase;
let database: Database;
let notices: Notices;
let catalog: Catalog;
let edge: Edge;
let nowMs = 0;
const clock: Clock = { ...systemClock, nowMs: () => nowMs };

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.url, silentLogger);
  notices = await openNotices(fresh.url, silentLogger);
  const [sealingKey, digestKey] = [deriveKey('root secret', 'catalog'), deriveKey('root secret', 'digest')];
  catalog = await createCatalog({ database, notices, sealingKey, digestKey, clock, logger: silentLogger });
  const priceBooks = { current: () => openPriceBook() };
  const identity = { findCaller: () => null };
  const services = { catalog, clock, priceBooks, identity, clientAddress: () => '127.0.0.1' };
  edge = await startEdge([
    route('GET', '/v1/models', listModelsEndpoint(services)),
    route('GET', '/v1/models/:slug', retrieveModelEndpoint(services)),
    route('GET', '/v1/images/models', listImageModelsEndpoint(services)),
    route('GET', '/admin/v1/config', readConfigEndpoint(services)),
    route('PUT', '/admin/v1/config', (exchange) => replaceConfigEndpoint(services)(exchange, OPERATOR)),
    route('GET', '/admin/v1/auto-router/:table/:tier', readAutoTierEndpoint(services)),
    route('PATCH', '/admin/v1/auto-router/:table/:tier', (exchange) =>
      changeAutoTierEndpoint(services)(exchange, OPERATOR),
    ),
  ]);
});

let revisions = 0;

beforeEach(async () => {
  nowMs = Date.parse('2026-01-15T12:00:00Z');
  // A new comment does not count as a change; a new value does, and brings the document back to the state that the
  // tests start from.
  revisions += 1;
  const text = SAMPLE.replace('name: GPT X', `name: GPT X ${revisions}`);
  await catalog.applyFile({ name: 'test', document: parseDocumentText(text), isBuiltIn: false }, {});
});

afterAll(async () => {
  await edge.close();
  await catalog.close();
  await notices.close();
  await database.close();
  await fresh.drop();
});

type Answer = { status: number; body: Record<string, unknown>; text: string };

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'Content-Type': 'application/json' };
  }
  const response = await fetch(edge.url + path, init);
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text };
}

describe('GET /v1/models', () => {
  test('CAT-01 CAT-10 CAT-20 answers everyone with the text models', async () => {
    const { status, body } = await call('GET', '/v1/models');
    expect(status).toBe(200);
    const list = body as { data: { id: string }[]; object: string; total_count: number };
    expect(list.data.map((model) => model.id)).toContain('openai/gpt-x:free');
    expect(list.data.map((model) => model.id)).not.toContain('other/embedder');
    expect(list).toMatchObject({ object: 'list', total_count: list.data.length, links: { next: null } });
    expect((await call('GET', '/api/v1/models?output_modalities=embeddings')).body).toMatchObject({ total_count: 1 });
  });

  test('CAT-11 an unknown modality is 400', async () => {
    const { status, body } = await call('GET', '/v1/models?output_modalities=smell');
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'unsupported_param', type: 'invalid_request_error' } });
  });

  test('a changed price is in the next answer', async () => {
    const { body } = await call('GET', '/admin/v1/config');
    const document = JSON.parse(JSON.stringify(body).replace('"prompt":"0.15"', '"prompt":"0.16"'));
    expect((await call('PUT', '/admin/v1/config', document)).status).toBe(200);
    expect((await call('GET', '/v1/models')).text).toContain('"prompt":"0.16"');
  });

  test('CAT-12 the SDK lists models and asks for one by its id', async () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: `${edge.url}/v1`, maxRetries: 0 });
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain('openai/gpt-x');
    expect(await client.models.retrieve('openai/gpt-x')).toMatchObject({ object: 'model', owned_by: 'openai' });
    await expect(client.models.retrieve('nosuch/model')).rejects.toMatchObject({ status: 404 });
  });
});

describe('GET /v1/models/{slug}', () => {
  test('CAT-12 is the bare model', async () => {
    const { status, body } = await call('GET', '/v1/models/openai-gpt-x');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'openai/gpt-x', context_length: 128_000 });
  });

  test('CAT-13 ERR-22 is 404 for what never was', async () => {
    const { status, body } = await call('GET', '/v1/models/nosuch-model');
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: { code: 'model_not_found' } });
  });

  test('CAT-19 is 410 for what was retired', async () => {
    nowMs = Date.parse('2026-04-01T00:00:00Z');
    const { status, body } = await call('GET', '/v1/models/other-old');
    expect(status).toBe(410);
    expect(body).toMatchObject({ error: { code: 'model_retired', type: 'model_not_available' } });
  });
});

test('CAT-16 GET /v1/images/models lists the models that make images', async () => {
  const { status, body } = await call('GET', '/v1/images/models');
  expect(status).toBe(200);
  const { data } = body as { data: Record<string, unknown>[] };
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    id: 'other/painter',
    pricing: { image: '0.04' },
    architecture: { output_modalities: ['image', 'text'] },
    supported_parameters: [],
  });
});

describe('/admin/v1/config', () => {
  test('what is read can be sent back, and changes nothing', async () => {
    const read = await call('GET', '/admin/v1/config');
    expect(read.text).not.toContain('sk-');
    expect(read.body).toMatchObject({ providers: { openai: { api_key: '********' } } });
    const put = await call('PUT', '/admin/v1/config', read.body);
    expect(put).toMatchObject({ status: 200, body: { config: read.body, changes: [] } });
    expect(catalog.current().providers.get('openai')?.apiKey).toBe('sk-openai');
  });

  test('a change is answered with its lines, and no key', async () => {
    const document = {
      providers: { solo: { protocol: 'openai', base_url: 'http://h/v1/', api_key: 'sk-new' } },
      models: { 'a/b': { pricing: { prompt: 0.15, completion: 0.0000003 } } },
    };
    const { status, body, text } = await call('PUT', '/admin/v1/config', document);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      config: { models: { 'a/b': { pricing: { prompt: '0.15', completion: '0.0000003' } } } },
      changes: expect.arrayContaining(['- provider openai', '+ provider solo', '+ model a/b', '- model openai/gpt-x']),
    });
    expect(text).not.toContain('sk-new');
    expect(catalog.current().providers.get('solo')).toMatchObject({ apiKey: 'sk-new', baseUrl: 'http://h/v1' });
  });

  test('a mistake is 400, names its place, and changes nothing', async () => {
    const before = (await call('GET', '/admin/v1/config')).text;
    const { status, body } = await call('PUT', '/admin/v1/config', {
      models: { 'a/b': { price: 1 } },
      defalt_provider: 'x',
    });
    expect(status).toBe(400);
    const { error } = body as { error: { message: string } };
    expect(error.message).toContain('defalt_provider: unknown key, did you mean "default_provider"?');
    expect(error.message).toContain('models.a/b.price: unknown key');
    expect((await call('GET', '/admin/v1/config')).text).toBe(before);
  });

  test('numbers too large for a double are refused', async () => {
    const send = async (text: string) =>
      (await fetch(`${edge.url}/admin/v1/config`, { method: 'PUT', body: text })).status;
    expect(await send('{"moderation":{"evidence_days":12345678901234567890}}')).toBe(400);
    expect(await send('{"limits":{"free_requests_per_minute":12345678901234567890}}')).toBe(400);
  });
});

describe('AUTO-06 /admin/v1/auto-router/{table}/{tier}', () => {
  const path = '/admin/v1/auto-router/paid/simple';

  test('models, their order and the switch change at once', async () => {
    expect((await call('GET', path)).body).toEqual({ table: 'paid', tier: 'simple', enabled: false, models: [] });
    const models = ['other/common', 'openai/gpt-x'];
    expect(await call('PATCH', path, { enabled: true, models })).toMatchObject({
      status: 200,
      body: { enabled: true, models },
    });
    expect(catalog.current().auto.paid.get('simple')).toEqual({ isEnabled: true, modelNames: models });
    expect((await call('PATCH', path, { enabled: false })).body).toMatchObject({ enabled: false, models });
    expect((await call('PATCH', path, { models: [...models].reverse() })).body).toMatchObject({
      enabled: false,
      models: ['openai/gpt-x', 'other/common'],
    });
    expect(catalog.current().auto.free.size).toBe(0);
    expect(catalog.current().providers.get('openai')?.apiKey).toBe('sk-openai');
  });

  test.each([
    [{ models: ['openai/nosuch'] }, 'auto.paid.simple.models[0]: no model named'],
    [{ models: Array(7).fill('openai/gpt-x') }, 'at most 6 models'],
    [{ models: 'openai/gpt-x' }, 'auto.paid.simple.models: expected'],
    [{ enabled: 'yes' }, 'auto.paid.simple.enabled: expected true or false'],
    [{ enabeld: true }, 'auto.paid.simple.enabeld: unknown key, did you mean "enabled"?'],
  ])('%j is 400', async (patch, message) => {
    const { status, body } = await call('PATCH', path, patch);
    expect(status).toBe(400);
    expect((body as { error: { message: string } }).error.message).toContain(message);
  });

  test.each([
    '/admin/v1/auto-router/paid/nosuch',
    '/admin/v1/auto-router/gold/simple',
    '/admin/v1/auto-router/paid/__proto__',
  ])('%s is 404', async (unknown) => {
    expect((await call('GET', unknown)).status).toBe(404);
    expect((await call('PATCH', unknown, { enabled: true })).status).toBe(404);
  });
});
