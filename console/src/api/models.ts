// The public catalog of models, and the health of the providers that serve them.

import { queryOptions } from '@tanstack/react-query';
import type { ModelRoute, ModelRoutesAnswer } from '../../../gateway/src/contract/health.ts';
import type { PublicModel, PublicModelList } from '../../../gateway/src/contract/models.ts';
import { request } from './request.ts';

export type Model = PublicModel;
export type { ModelRoute };

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  staleTime: 60_000,
  queryFn: async (): Promise<readonly Model[]> =>
    (await request<PublicModelList>('GET', '/v1/models?output_modalities=all')).data,
});

const ROUTES_REFRESH_MS = 15_000;

/** People who are not signed in ask the public endpoint, which the operator may have closed. */
export const modelRoutesQuery = (slug: string, isSignedIn: boolean) =>
  queryOptions({
    queryKey: ['model-routes', slug, isSignedIn],
    refetchInterval: ROUTES_REFRESH_MS,
    queryFn: async () =>
      (
        await request<ModelRoutesAnswer>(
          'GET',
          `/api/${isSignedIn ? '' : 'site/'}models/${encodeURIComponent(slug)}/routes`,
        )
      ).routes,
  });

/** The name of a model in `/v1/models/{slug}`. */
export const slugOf = (model: Model): string => model.links.details.slice('/v1/models/'.length);

/**
 * The purposes that models are listed under, by their output; a model with several outputs is listed under the first.
 */
export const PURPOSES = [
  'text',
  'image',
  'video',
  'audio',
  'transcription',
  'embeddings',
  'rerank',
  'moderation',
] as const;
export type Purpose = (typeof PURPOSES)[number];

export function purposeOf(model: Model): Purpose {
  const { input_modalities: inputs, output_modalities: outputs } = model.architecture;
  if (outputs.includes('embeddings')) return 'embeddings';
  if (outputs.includes('rerank')) return 'rerank';
  if (model.endpoints.includes('/v1/moderations')) return 'moderation';
  if (outputs.includes('video')) return 'video';
  if (outputs.includes('image') && !outputs.includes('text')) return 'image';
  if (outputs.includes('speech') || (outputs.includes('audio') && !outputs.includes('text'))) return 'audio';
  if (outputs.includes('transcription')) return 'transcription';
  if (outputs.includes('text') && inputs.length > 0 && inputs.every((input) => input === 'audio'))
    return 'transcription';
  return 'text';
}

/** A model is free by its name (`:free`) or by a price of zero. */
export const isFree = ({ id, pricing }: Model): boolean =>
  id.endsWith(':free') || Object.values(pricing).every((price) => price === undefined || /^0(\.0*)?$/.test(price));

export const makesText = (model: Model): boolean => purposeOf(model) === 'text';
