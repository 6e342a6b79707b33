// A client's flags for Anthropic's models at Bedrock and at Vertex AI. Both refuse a call with a flag that they do not
// know, so only known flags are sent there; Bedrock reads them from the body, Vertex AI from the header.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryOf, type OtherServers, startOtherServers } from '../faults/upstreams.ts';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let others: OtherServers;
let key: string;

beforeAll(async () => {
  harness = await startHarness();
  others = await startOtherServers();
  const { url } = harness.simulator;
  const models = {
    'acme/bedrock': { routes: [{ provider: 'bedrock', upstream_model: 'anthropic.sim-tokens-100-20' }] },
    'acme/vertex': { routes: [{ provider: 'vertex', upstream_model: 'anthropic/sim-tokens-100-20' }] },
  };
  const document = configDocument(url, { models });
  const providers = {
    ...(document.providers as Json),
    bedrock: entryOf('bedrock-claude', url, others.tokenUrl),
    vertex: entryOf('vertex-claude', url, others.tokenUrl),
  };
  await harness.operate('PUT', '/admin/v1/config', { ...document, providers });
  ({ key } = await harness.account());
});

afterAll(async () => {
  await harness.close();
  others.close();
});

const ask = (model: string, flags: string, more: Json = {}) =>
  harness.request('POST', '/v1/messages', {
    key,
    body: { model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...more },
    headers: { 'anthropic-beta': flags },
  });

const AGENT = 'interleaved-thinking-2025-05-14, claude-code-20250219,nobody-knows-this';

test('known flags are in the body at Bedrock, others are left out', async () => {
  expect((await ask('acme/bedrock', AGENT)).status).toBe(200);
  expect(harness.simulator.requests.at(-1)?.json).toMatchObject({
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['interleaved-thinking-2025-05-14'],
  });
  expect((await ask('acme/bedrock', 'claude-code-20250219')).status).toBe(200);
  expect(harness.simulator.requests.at(-1)?.json).not.toHaveProperty('anthropic_beta');
});

test('known flags are in the header at Vertex AI, others are left out', async () => {
  const flagsFor = async (flags: string) => {
    expect((await ask('acme/vertex', flags)).status).toBe(200);
    return harness.simulator.requests.at(-1)?.headers['anthropic-beta'];
  };
  expect(await flagsFor(`${AGENT},prompt-caching-scope-2026-01-05,effort-2025-11-24`)).toBe(
    'interleaved-thinking-2025-05-14',
  );
  expect(await flagsFor('claude-code-20250219')).toBeUndefined();
});

test('flags that not every model takes go with what would be refused without them', async () => {
  const flags = ['thinking-binding-controls-2026-08-01', 'mid-conversation-output-config-2026-07-01'];
  const binding = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };
  const turns = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: [], output_config: { effort: 'low' } },
  ];
  for (const [more, sent] of [
    [binding, flags.slice(0, 1)],
    [{ messages: turns }, flags.slice(1)],
    [{}, undefined],
  ] as const) {
    expect((await ask('acme/bedrock', flags.join(','), more)).status).toBe(200);
    const { anthropic_beta: betas } = (harness.simulator.requests.at(-1)?.json ?? {}) as Json;
    expect(betas).toEqual(sent);
    expect((await ask('acme/vertex', flags.join(','), more)).status).toBe(200);
    expect(harness.simulator.requests.at(-1)?.headers['anthropic-beta']).toBe(sent?.join(','));
  }
});

test('loading tools later has another name at both', async () => {
  const flag = 'advanced-tool-use-2025-11-20';
  expect((await ask('acme/bedrock', flag)).status).toBe(200);
  expect(harness.simulator.requests.at(-1)?.json).toMatchObject({ anthropic_beta: ['tool-search-tool-2025-10-19'] });
  expect((await ask('acme/vertex', flag)).status).toBe(200);
  expect(harness.simulator.requests.at(-1)?.headers['anthropic-beta']).toBe('tool-search-tool-2025-10-19');
});
