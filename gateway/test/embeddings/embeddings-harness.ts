// A gateway with embedding models of several kinds, and the usual call of one.

import { type Answer, type Harness, type HarnessOptions, type Json, type ModelSpec, startHarness } from '../harness.ts';

/** 2 USD per million tokens, so that a token is 2,000 nano-USD. */
const PRICING = { prompt: '2' };

export function embeddingModel(commands?: string, entry: Record<string, unknown> = {}): ModelSpec {
  return {
    ...(commands === undefined ? {} : { commands }),
    entry: {
      context_length: 8192,
      input_modalities: ['text'],
      output_modalities: ['embeddings'],
      pricing: PRICING,
      ...entry,
    },
  };
}

export function startEmbeddings(options: HarnessOptions = {}): Promise<Harness> {
  return startHarness({
    ...options,
    models: {
      'acme/embed': embeddingModel(),
      'acme/embed-images': embeddingModel(undefined, { input_modalities: ['text', 'image'] }),
      ...options.models,
    },
  });
}

export function embed(harness: Harness, key: string, body: Json): Promise<Answer> {
  return harness.request('POST', '/v1/embeddings', {
    key,
    body: { model: 'acme/embed', input: 'Hello there', ...body },
  });
}

/** The vectors of an answer in `float`. */
export function vectorsOf({ body }: Answer): readonly (readonly number[])[] {
  return (body.data as { embedding: number[] }[]).map(({ embedding }) => embedding);
}

/** Models with two providers: both good, the first one limited, the first one without embeddings. */
export async function addProviders(harness: Harness): Promise<void> {
  const document = await harness.operate('GET', '/admin/v1/config');
  const base_url = `${harness.simulator.url}/v1`;
  const routes = (...names: string[]) => names.map((provider) => ({ provider, upstream_model: 'm' }));
  await harness.operate('PUT', '/admin/v1/config', {
    ...document,
    providers: {
      ...(document.providers as Json),
      first: { protocol: 'openai', base_url, api_key: 'k1' },
      second: { protocol: 'openai', base_url, api_key: 'k2', data_collection: 'deny' },
      'messages-only': { protocol: 'anthropic', base_url, api_key: 'k3' },
    },
    models: {
      ...(document.models as Json),
      'acme/two-routes': { ...embeddingModel().entry, routes: routes('first', 'second') },
      'acme/limited': {
        ...embeddingModel().entry,
        routes: [{ provider: 'first', upstream_model: 'sim-status-429' }, ...routes('second')],
      },
      'acme/unspoken': { ...embeddingModel().entry, routes: routes('messages-only', 'sim') },
    },
  });
}
