// Inputs of embeddings for providers with their own formats for texts and pictures. None of them fetches an address,
// and none knows the token ids of another vocabulary.

import type { EmbeddingInput, EmbeddingsRequest } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';

export type SentPart =
  | Readonly<{ type: 'text'; text: string }>
  | Readonly<{ type: 'picture'; url: string; mediaType: string; data: string }>;

const DATA_URI = /^data:(image\/[a-z0-9.+-]{1,32});base64,/i;

/** The parts of each input. */
export function readParts({ inputs }: EmbeddingsRequest): readonly (readonly SentPart[])[] {
  return inputs.map(partsOf);
}

function partsOf({ parts }: EmbeddingInput): readonly SentPart[] {
  if (parts.length === 0) throw unfit('The provider of this model takes texts and pictures, and no token ids.');
  return parts.map((part) => {
    if (part.type === 'text') return part;
    const [head, mediaType = ''] = DATA_URI.exec(part.url.slice(0, 64)) ?? [];
    if (head === undefined) {
      throw new ApiError('invalid_image_url', 'The provider of this model takes pictures only as data URIs in base64.');
    }
    return { ...part, mediaType: mediaType.toLowerCase(), data: part.url.slice(head.length) };
  });
}

export const unfit = (message: string): ApiError => new ApiError('invalid_modality_for_model', message);

export function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number));
}
