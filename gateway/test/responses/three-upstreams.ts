// A gateway with one model for each way that a Responses call can take: to a provider of the same format, to one that
// only knows chat, and to one of another vendor altogether.

import OpenAI from 'openai';
import type { StartOptions } from '../../src/app.ts';
import { configDocument, type Harness, type ModelSpec, startHarness } from '../harness.ts';

export const NATIVE = 'openai/native';
export const OVER_CHAT = 'acme/chat';
export const OVER_MESSAGES = 'anthropic/claude-test';

export const everyWay = [NATIVE, OVER_CHAT, OVER_MESSAGES];

/** The id of a model that takes the given way and whose upstream does what the commands say. */
export const commanded = (way: string, commands: string): string => `${way}-${commands}`;

export type Setup = Readonly<{ harness: Harness; key: string; client: OpenAI }>;

export async function startThreeUpstreams(commandSets: readonly string[], start: StartOptions = {}): Promise<Setup> {
  const harness = await startHarness({ start });
  const api_key = 'upstream-secret-key';
  const base_url = `${harness.simulator.url}/v1`;
  const providers = {
    native: { protocol: 'openai', base_url, api_key, responses: true },
    chat: { protocol: 'openai', base_url, api_key },
    messages: { protocol: 'anthropic', base_url, api_key },
  };
  const providerOf: Record<string, string> = { [NATIVE]: 'native', [OVER_CHAT]: 'chat', [OVER_MESSAGES]: 'messages' };
  const models: Record<string, ModelSpec> = {};
  for (const [way, provider] of Object.entries(providerOf)) {
    models[way] = { routes: [{ provider, upstream_model: 'plain' }] };
    for (const commands of commandSets) {
      models[commanded(way, commands)] = { routes: [{ provider, upstream_model: `sim-${commands}` }] };
    }
  }
  // The harness's own model goes with the provider that it is routed to.
  const { models: entries, ...others } = configDocument(harness.simulator.url, { models });
  const { 'openai/test': _own, ...kept } = entries as Record<string, unknown>;
  const document = { ...others, models: kept, providers };
  await harness.operate('PUT', '/admin/v1/config', document);
  const { key } = await harness.account();
  return { harness, key, client: new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: key, maxRetries: 0 }) };
}
