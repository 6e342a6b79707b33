// Two customers behind one account at a provider: a name that one of them sends of something kept for the other, in any
// format and at any depth, does not reach the provider under the platform's key, and does under a customer's own key.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import { KEPT, type KeepingProvider, PIXEL, SECRET, startKeepingProvider } from './keeping-provider.ts';
import { type FormatName, type NamedState, namedState } from './named-state.ts';

const sound = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4_000)]).toString('base64');

const calls: Readonly<Record<FormatName, Readonly<{ path: string; model: string; body: Json }>>> = {
  chat: { path: '/v1/chat/completions', model: 'openai/chat', body: { messages: [{ role: 'user', content: 'Hi.' }] } },
  responses: { path: '/v1/responses', model: 'openai/native', body: { input: 'Hi.' } },
  messages: {
    ...{ path: '/v1/messages', model: 'acme/messages' },
    body: { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 50 },
  },
  completions: { path: '/v1/completions', model: 'acme/writer', body: { prompt: 'Hi.' } },
  moderation: { path: '/v1/moderations', model: 'acme/judge', body: { input: 'Hi.' } },
  rerank: { path: '/v1/rerank', model: 'acme/ranker', body: { query: 'Hi.', documents: ['a', 'b'] } },
  embeddings: { path: '/v1/embeddings', model: 'acme/vectors', body: { input: 'Hi.' } },
  images: { path: '/v1/images/generations', model: 'acme/painter', body: { prompt: 'A cat.' } },
  speech: { path: '/v1/audio/speech', model: 'acme/speaker', body: { input: 'Hi.', voice: 'alloy' } },
  video: { path: '/v1/videos', model: 'acme/director', body: { prompt: 'A cat.', seconds: 4 } },
  transcription: {
    ...{ path: '/v1/audio/transcriptions', model: 'acme/listener' },
    body: { input_audio: { data: sound, format: 'wav' } },
  },
};

let harness: Harness;
let provider: KeepingProvider;
let one: string;
let other: string;

beforeAll(async () => {
  provider = await startKeepingProvider();
  harness = await startHarness({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' } });
  const at = { base_url: `${provider.url}/v1`, api_key: 'k' };
  const tokens = { prompt: '1', completion: '2', hosted_tool: '0.03' };
  const routed = (name: string, entry: Json = {}): Json => ({
    ...{ pricing: tokens, routes: [{ provider: name, upstream_model: 'm' }], input_modalities: ['text', 'image'] },
    ...entry,
  });
  const { models: _models, ...others } = configDocument(harness.simulator.url, { models: {} });
  await harness.operate('PUT', '/admin/v1/config', {
    ...others,
    providers: {
      plain: { protocol: 'openai', ...at },
      native: { protocol: 'openai', responses: true, ...at },
      completing: { protocol: 'openai', completions: true, ...at },
      messages: { protocol: 'anthropic', ...at },
    },
    models: {
      'openai/chat': routed('plain'),
      'openai/native': routed('native'),
      'acme/messages': routed('messages'),
      'acme/writer': routed('completing'),
      'acme/judge': routed('plain', { output_modalities: ['moderation'], pricing: { request: '0.001' } }),
      'acme/ranker': routed('plain', { output_modalities: ['rerank'], pricing: { request: '0.002' } }),
      'acme/vectors': routed('plain', { output_modalities: ['embeddings'] }),
      'acme/painter': routed('plain', { output_modalities: ['image'], pricing: { image: '0.04' } }),
      'acme/director': routed('plain', { output_modalities: ['video'], pricing: { video_second: '0.1' } }),
      'acme/speaker': routed('plain', { output_modalities: ['speech'], pricing: { character: '0.00001' } }),
      'acme/listener': routed('plain', {
        ...{ input_modalities: ['audio'], output_modalities: ['transcription'] },
        pricing: { audio_second: '0.0001' },
      }),
    },
  });
  ({ key: one } = await harness.account());
  ({ key: other } = await harness.account());
});

afterAll(async () => {
  await harness.close();
  await provider.close();
});

function send(key: string, format: FormatName, more: Json, headers: Record<string, string> = {}) {
  const { path, model, body } = calls[format];
  return harness.request('POST', path, { key, body: { model, ...body, ...more }, headers });
}

const cases = namedState.flatMap((state) =>
  state.formats.map((format): [string, FormatName, NamedState] => [state.name, format, state]),
);

describe('what names something that a provider keeps', () => {
  test.each(Object.keys(calls) as FormatName[])('%s is answered without any of it', async (format) => {
    expect([200, 202]).toContain((await send(one, format, {})).status);
  });

  test.each(cases)('VER-06 %s in %s', async (_name, format, { fate, body }) => {
    const before = provider.count();
    const answer = await send(other, format, body);
    expect(answer.text).not.toContain(SECRET);
    // The old completions are translated into the few fields that they have.
    if (fate === 'refused' && format !== 'completions') {
      expect([answer.status, provider.count()], answer.text).toEqual([400, before]);
      return;
    }
    expect([200, 202], answer.text).toContain(answer.status);
    expect(provider.count()).toBe(before + 1);
    expect(provider.last().body).not.toContain(KEPT);
  });

  test('a name that comes twice hides nothing', async () => {
    const twice = `{"file_id":"${KEPT}","file_id":null}`;
    const body = `{"model":"openai/chat","messages":[{"role":"user","content":"Hi.","x":${twice}}],"y":${twice}}`;
    const answer = await harness.request('POST', '/v1/chat/completions', { key: other, body });
    expect([answer.status, answer.text.includes(SECRET)], answer.text).toEqual([200, false]);
    expect(provider.last().body).not.toContain(KEPT);
  });

  test('the provider does give it to whoever asks', async () => {
    const body = JSON.stringify({ container: KEPT });
    const direct = await fetch(`${provider.url}/v1/messages`, { method: 'POST', body });
    expect(await direct.text()).toContain(SECRET);
  });
});

describe('what a form names', () => {
  const png = Buffer.from(PIXEL, 'base64');
  type Form = Readonly<{
    path: string;
    model: string;
    fileName: string;
    fields: Record<string, string>;
    bytes: Buffer;
  }>;
  const forms: readonly Form[] = [
    {
      ...{ path: '/v1/images/edits', model: 'acme/painter', fileName: 'image' },
      ...{ fields: { prompt: 'Make it blue.' }, bytes: png },
    },
    {
      ...{ path: '/v1/audio/transcriptions', model: 'acme/listener', fileName: 'file' },
      ...{ fields: {}, bytes: Buffer.from(sound, 'base64') },
    },
  ];
  const names: readonly [string, number][] = [
    ...namedState
      .filter(({ body, formats }) => formats.includes('images') && Object.values(body)[0] === KEPT)
      .map(({ body, fate }): [string, number] => [Object.keys(body)[0] ?? '', fate === 'refused' ? 400 : 200]),
    ...['corpus_id', 'fileId', 'image[file_id]', 'file[id]', 'nested[0][corpus_ids][]'].map(
      (name): [string, number] => [name, 200],
    ),
    ['file_ids[]', 400],
  ];

  test.each(forms)('VER-06 to $path is not sent', async ({ path, model, fileName, fields, bytes }) => {
    const post = async (more: Record<string, string>): Promise<number> => {
      const form = new FormData();
      for (const [name, value] of Object.entries({ model, ...fields, ...more })) form.append(name, value);
      form.append(fileName, new Blob([new Uint8Array(bytes)]), 'a.bin');
      const headers = { Authorization: `Bearer ${other}` };
      return (await fetch(`${harness.url}${path}`, { method: 'POST', headers, body: form })).status;
    };
    expect(await post({})).toBe(200);
    for (const [name, status] of names) {
      expect([name, await post({ [name]: KEPT })]).toEqual([name, status]);
      expect(provider.last().body, name).not.toContain(KEPT);
    }
  });
});

describe('what a call names that is made later', () => {
  const statesOf = (format: FormatName) => namedState.filter(({ formats }) => formats.includes(format));
  const get = (path: string) => harness.request('GET', path, { key: other });

  async function linesOf(path: string): Promise<Json[]> {
    const lines = (await get(path)).text.trimEnd().split('\n');
    return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Json]));
  }

  test.each(['chat', 'responses', 'embeddings'] as const)('VER-06 by lines of a batch of %s', async (format) => {
    const { path, model, body } = calls[format];
    const lines = statesOf(format).map((state, index) =>
      JSON.stringify({
        ...{ custom_id: String(index), method: 'POST', url: path },
        body: { model, ...body, ...state.body },
      }),
    );
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob([lines.join('\n')]), 'in.jsonl');
    const headers = { Authorization: `Bearer ${other}` };
    const file = (await (
      await fetch(`${harness.url}/v1/files`, { method: 'POST', headers, body: form })
    ).json()) as Json;
    const before = provider.namingCount();
    const order = { input_file_id: file.id, endpoint: path, completion_window: '24h' };
    const { id } = (await harness.request('POST', '/v1/batches', { key: other, body: order })).body;
    await expect.poll(async () => (await get(`/v1/batches/${id}`)).body.status).toBe('completed');
    const { output_file_id, error_file_id } = (await get(`/v1/batches/${id}`)).body;
    const results = (
      await Promise.all(
        [output_file_id, error_file_id].map((fileId) =>
          fileId === undefined || fileId === null ? [] : linesOf(`/v1/files/${String(fileId)}/content`),
        ),
      )
    ).flat();
    expect(results).toHaveLength(lines.length);
    expect([provider.namingCount(), JSON.stringify(results).includes(SECRET)]).toEqual([before, false]);
    for (const { custom_id, response } of results) {
      const { name, fate } = statesOf(format)[Number(custom_id)] as NamedState;
      expect([name, (response as Json).status_code]).toEqual([name, fate === 'refused' ? 400 : 200]);
    }
  });

  test('VER-06 by lines of a batch of messages', async () => {
    const { model, body } = calls.messages;
    const requests = statesOf('messages').map((state, index) => ({
      custom_id: String(index),
      params: { model, ...body, ...state.body },
    }));
    const before = provider.namingCount();
    const made = await harness.request('POST', '/v1/messages/batches', { key: other, body: { requests } });
    expect(made.status, made.text).toBe(200);
    const batch = `/v1/messages/batches/${made.body.id}`;
    await expect.poll(async () => (await get(batch)).body.processing_status).toBe('ended');
    const results = await linesOf(`${batch}/results`);
    expect(results).toHaveLength(requests.length);
    expect([provider.namingCount(), JSON.stringify(results).includes(SECRET)]).toEqual([before, false]);
  });

  test.each(['chat', 'responses', 'messages'] as const)('VER-06 by jobs of %s', async (format) => {
    const before = provider.namingCount();
    const { path, model, body } = calls[format];
    const headers = {
      ...{ Authorization: `Bearer ${other}`, 'Content-Type': 'application/json' },
      Prefer: 'respond-async',
    };
    // An error in the body appears in the job's result, so neither is as described.
    const order = async (state: NamedState): Promise<string> => {
      const text = JSON.stringify({ model, ...body, ...state.body });
      const answer = await fetch(`${harness.url}${path}`, { method: 'POST', headers, body: text });
      expect(answer.status).toBe(202);
      return String(((await answer.json()) as Json).id);
    };
    const ids = await Promise.all(statesOf(format).map(order));
    for (const [place, id] of ids.entries()) {
      await expect.poll(async () => (await get(`/v1/jobs/${id}`)).body.ended_at).not.toBeNull();
      const result = await fetch(`${harness.url}/v1/jobs/${id}/result`, { headers });
      const { name, fate } = statesOf(format)[place] as NamedState;
      expect([name, result.status]).toEqual([name, fate === 'refused' ? 400 : 200]);
      expect(await result.text()).not.toContain(SECRET);
    }
    expect(provider.namingCount()).toBe(before);
  });
});

describe('what names the caller', () => {
  const lastJson = (): Json => JSON.parse(provider.last().body) as Json;

  test.each(['prompt_cache_key', 'safety_identifier'])(
    '%s is another for each account, and the same for one',
    async (name) => {
      for (const format of ['chat', 'responses'] as const) {
        const seen: unknown[] = [];
        for (const key of [one, one, other]) {
          expect((await send(key, format, { [name]: 'shared' })).status).toBe(200);
          seen.push(lastJson()[name]);
        }
        expect(seen[0]).toMatch(/^[\w-]{20,64}$/);
        expect(seen[1]).toBe(seen[0]);
        expect(seen[2]).not.toBe(seen[0]);
      }
    },
  );

  test('metadata.user_id is another for each account; what else is said there stays', async () => {
    const seen: Json[] = [];
    for (const key of [one, other]) {
      await send(key, 'messages', { metadata: { user_id: '{"session":"a"}', thread_id: 'mine' } });
      seen.push(lastJson().metadata as Json);
    }
    expect(seen[0]?.user_id).toMatch(/^[\w-]{20,64}$/);
    expect(seen[1]?.user_id).not.toBe(seen[0]?.user_id);
    expect(seen.map(({ thread_id }) => thread_id)).toEqual(['mine', 'mine']);
  });

  test('CHAT-23 user stays as it came', async () => {
    await send(one, 'chat', { user: 'their-user' });
    expect(lastJson().user).toBe('their-user');
  });
});

test('flags of headers pass as far as they are known', async () => {
  const flags = 'files-api-2025-04-14,effort-2025-11-24,never-heard-of-2099-01-01';
  expect((await send(one, 'messages', {}, { 'anthropic-beta': flags })).status).toBe(200);
  expect(provider.last().headers['anthropic-beta']).toBe('effort-2025-11-24');
});

test('an own upstream gets everything as it came', async () => {
  const owner = await harness.account(0);
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: owner.userId });
  const keyOf = async (keyType: string): Promise<string> =>
    String(
      (await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'k', keyType, userId: owner.userId }))
        .key,
    );
  const own = {
    ...{ name: 'ours', baseUrl: `${provider.url}/v1`, apiKey: 'own' },
    modelMappings: [{ model: 'openai/chat', upstreamModel: 'm', enabled: true }],
  };
  const made = await harness.request('POST', '/v1/management/byok-keys', { key: await keyOf('management'), body: own });
  expect(made.status, made.text).toBe(201);
  const body = { thread_id: KEPT, prompt_cache_key: 'mine', service_tier: 'priority', nested: { file_id: KEPT } };
  const answer = await send(await keyOf('standard'), 'chat', body);
  expect([answer.status, answer.text.includes(SECRET)], answer.text).toEqual([200, true]);
  expect(JSON.parse(provider.last().body)).toMatchObject(body);
});
