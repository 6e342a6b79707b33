// Which models an operation serves, by what they put out, and what to tell a caller who took the wrong endpoint. A new
// operation is a row of each table that concerns it.

import type { Model, OutputModality } from '../canonical/model.ts';
import type { Operation } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/catalogue.ts';

type EndpointFit = Readonly<{
  /** One of them is enough. */
  outputs: readonly OutputModality[];
  /** Codes of their own for models of other endpoints; without one it is a mismatch. */
  refusals: Readonly<Partial<Record<OutputModality, ErrorCode>>>;
  /** When the model takes no images and the request has one. */
  imageRefusal: ErrorCode;
}>;

const fits: Readonly<Record<Operation, EndpointFit>> = {
  chat: {
    outputs: ['text', 'image'],
    refusals: { embeddings: 'embedding_on_chat_endpoint', video: 'wrong_endpoint_for_video' },
    imageRefusal: 'input_images_not_supported',
  },
  embeddings: { outputs: ['embeddings'], refusals: {}, imageRefusal: 'invalid_modality_for_model' },
  images: {
    outputs: ['image'],
    refusals: { video: 'wrong_endpoint_for_video' },
    imageRefusal: 'input_images_not_supported',
  },
  moderation: { outputs: ['moderation'], refusals: {}, imageRefusal: 'invalid_modality_for_model' },
  rerank: { outputs: ['rerank'], refusals: {}, imageRefusal: 'invalid_modality_for_model' },
  speech: { outputs: ['speech'], refusals: {}, imageRefusal: 'invalid_modality_for_model' },
  transcription: { outputs: ['transcription'], refusals: {}, imageRefusal: 'invalid_modality_for_model' },
  video: { outputs: ['video'], refusals: {}, imageRefusal: 'invalid_modality_for_model' },
};

/** What a model with this output does, and where. */
const homes: Readonly<Partial<Record<OutputModality, string>>> = {
  text: 'answers in text. Call /v1/chat/completions instead.',
  image: 'makes images. Call /v1/images/generations instead.',
  embeddings: 'makes embeddings. Call /v1/embeddings instead.',
  rerank: 'puts documents in order. Call /v1/rerank instead.',
  moderation: 'judges texts by a policy. Call /v1/moderations instead.',
  video: 'makes videos. Call /v1/videos instead.',
  speech: 'makes speech. Call /v1/audio/speech instead.',
  transcription: 'transcribes speech. Call /v1/audio/transcriptions instead.',
};

export function assertServes(model: Model, operation: Operation): void {
  const { outputs, refusals } = fits[operation];
  if (model.outputModalities.some((output) => outputs.includes(output))) return;
  const code = model.outputModalities.map((output) => refusals[output]).find((refusal) => refusal !== undefined);
  const home = model.outputModalities.map((output) => homes[output]).find((text) => text !== undefined);
  throw new ApiError(
    code ?? 'model_endpoint_mismatch',
    `${model.id} ${home ?? 'cannot be called through this endpoint.'}`,
  );
}

export const imageRefusal = (operation: Operation): ErrorCode => fits[operation].imageRefusal;
