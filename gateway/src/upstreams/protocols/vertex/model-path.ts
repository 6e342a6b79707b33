// The path of a model: below the project and the location of the provider's entry, under its publisher. An address that
// states any of this itself is used as it is.

import type { Candidate } from '../../../canonical/model.ts';
import type { CodecRoute } from '../../protocol.ts';

type Publisher = 'google' | 'anthropic';

const PUBLISHED = /^publishers\/([a-z0-9-]+)\/models\/(.+)$/;
const PREFIXED = /^(google|anthropic)\/(.+)$/;
const VERSIONED = /\/v\d+(?:beta\d*)?$/;
const BELOW_PROJECT = /\/projects\/[^/]+\/locations\/[^/]+$/;

/** By the name, else by the model's family. */
export function publisherOf({ upstreamModel, model }: CodecRoute): Publisher {
  const said = PUBLISHED.exec(upstreamModel)?.[1] ?? PREFIXED.exec(upstreamModel)?.[1];
  if (said !== undefined) return said === 'anthropic' ? 'anthropic' : 'google';
  return upstreamModel.startsWith('claude') || model.traits.family === 'anthropic' ? 'anthropic' : 'google';
}

export function modelPath(candidate: Candidate): string {
  const { provider, upstreamModel } = candidate;
  const { project = '', location = '' } = provider.settings ?? {};
  const name = PUBLISHED.exec(upstreamModel)?.[2] ?? PREFIXED.exec(upstreamModel)?.[2] ?? upstreamModel;
  const place = `/publishers/${publisherOf(candidate)}/models/${encodeURIComponent(name).replaceAll('%40', '@')}`;
  if (BELOW_PROJECT.test(provider.baseUrl)) return place;
  const version = VERSIONED.test(provider.baseUrl) ? '' : '/v1';
  return `${version}/projects/${project}/locations/${location}${place}`;
}
