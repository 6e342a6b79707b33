// Does this model fit this endpoint and this request, and may the caller use it? Everything here is decided from the
// catalog and the caller, after every alias has been resolved and before any money is held.

import { isModelAllowed } from '../canonical/allowed-models.ts';
import type { Caller } from '../canonical/caller.ts';
import type { Model, OutputModality, Resolution, ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest, Operation } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/catalogue.ts';

/** The resolution without the models that the caller may not use. */
export function authorize(request: CanonicalRequest, resolution: Resolution, caller: Caller): Resolution {
  assertCanServe(resolution.primary.model, request);
  return caller.allowedModels === null ? resolution : withAllowed(request, resolution, caller);
}

/** A fallback model that could not serve the request is left out instead of refusing the call. */
export const canServe = (model: Model, request: CanonicalRequest): boolean =>
  isNotRefused(() => assertCanServe(model, request));

/** The model can do what is asked for, though perhaps not as much of it. */
export const isOfKind = (model: Model, request: CanonicalRequest): boolean =>
  isNotRefused(() => assertOfKind(model, request));

function isNotRefused(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function assertCanServe(model: Model, request: CanonicalRequest): void {
  assertOfKind(model, request);
  assertFits(model, request);
}

function assertOfKind(model: Model, request: CanonicalRequest): void {
  assertServes(model, request.operation);
  assertOffers(model, request);
}

/** A model that the caller named is refused; one that the gateway would choose is passed over. */
function withAllowed(request: CanonicalRequest, resolution: Resolution, { allowedModels }: Caller): Resolution {
  const isAllowed = ({ model }: ResolvedModel): boolean => isModelAllowed(allowedModels, model.id);
  const fallbacks = resolution.fallbacks.filter(isAllowed);
  if (isAllowed(resolution.primary)) return { ...resolution, fallbacks };
  if (resolution.auto === null) throw notAllowed(`The model ${resolution.primary.model.id} is not allowed`);
  const [primary, ...others] = fallbacks.filter(({ model }) => canServe(model, request));
  if (primary === undefined) throw notAllowed('None of the models that the auto router could choose is allowed');
  return { ...resolution, primary, fallbacks: others };
}

function notAllowed(words: string): ApiError {
  return new ApiError('model_not_allowed', `${words} for this key by its organization. Ask one of its administrators.`);
}

function assertOffers(model: Model, request: CanonicalRequest): void {
  const { needs } = request;
  if (needs.tools && model.supportedParameters !== null && !model.supportedParameters.includes('tools')) {
    throw new ApiError('tool_use_unsupported', `${model.id} does not support tools. GET /v1/models says which do.`);
  }
  if (needs.imageOutput && !model.outputModalities.includes('image')) {
    throw new ApiError(
      'invalid_modality_for_model',
      `${model.id} does not produce images. GET /v1/images/models lists those that do.`,
    );
  }
  if (model.inputModalities.length === 0) return;
  if (needs.imageInput && !model.inputModalities.includes('image')) {
    const code = fits[request.operation].imageRefusal ?? 'invalid_modality_for_model';
    throw new ApiError(code, `${model.id} does not take images. GET /v1/models says which do.`);
  }
  if (needs.audioInput && !model.inputModalities.includes('audio')) {
    throw new ApiError('invalid_modality_for_model', `${model.id} does not take audio. GET /v1/models says which do.`);
  }
  if (needs.videoInput && !model.inputModalities.includes('video')) {
    throw new ApiError('invalid_modality_for_model', `${model.id} does not take video. GET /v1/models says which do.`);
  }
}

function assertFits(model: Model, request: CanonicalRequest): void {
  if (request.operation !== 'chat') {
    const imagesMax = model.image?.imagesMax ?? null;
    const { images = 0 } = request.unitsMax;
    if (imagesMax === null || images <= imagesMax) return;
    throw new ApiError('invalid_n', `n is ${images}, but ${model.id} makes at most ${imagesMax} in one call.`);
  }
  const { messagesMax } = model.traits;
  if (messagesMax !== null && request.messageCount > messagesMax) {
    throw new ApiError(
      'context_too_long',
      `${model.id} takes at most ${messagesMax} messages; this request has ${request.messageCount}. Send fewer.`,
    );
  }
  if (
    !request.isOutputLimitHabitual &&
    request.outputTokensMax !== null &&
    model.completionTokensMax !== null &&
    request.outputTokensMax > model.completionTokensMax
  ) {
    throw new ApiError(
      'max_tokens_invalid',
      `max_tokens is ${request.outputTokensMax}, but ${model.id} produces at most ${model.completionTokensMax} tokens.`,
    );
  }
}

// Which models an operation serves, by what they put out, and what to tell a caller who took the wrong endpoint. A new
// operation is a row of each table that concerns it.

type EndpointFit = Readonly<{
  /** The model needs one of them. */
  outputs: readonly OutputModality[];
  /** Models of other endpoints have error codes of their own; without one the answer is a mismatch. */
  refusals: Readonly<Partial<Record<OutputModality, ErrorCode>>>;
  /** When the model takes no images and the request has one; without it the modality is called invalid. */
  imageRefusal?: ErrorCode;
}>;

const fits: Readonly<Record<Operation, EndpointFit>> = {
  chat: {
    outputs: ['text', 'image'],
    refusals: { embeddings: 'embedding_on_chat_endpoint', video: 'wrong_endpoint_for_video' },
    imageRefusal: 'input_images_not_supported',
  },
  embeddings: { outputs: ['embeddings'], refusals: {} },
  images: {
    outputs: ['image'],
    refusals: { video: 'wrong_endpoint_for_video' },
    imageRefusal: 'input_images_not_supported',
  },
  moderation: { outputs: ['moderation'], refusals: {} },
  rerank: { outputs: ['rerank'], refusals: {} },
  speech: { outputs: ['speech'], refusals: {} },
  transcription: { outputs: ['transcription'], refusals: {} },
  video: { outputs: ['video'], refusals: {} },
};

/** What a model with this output does, and where; null where it cannot be called for that. */
const homes: Readonly<Record<OutputModality, string | null>> = {
  text: 'answers in text. Call /v1/chat/completions instead.',
  image: 'makes images. Call /v1/images/generations instead.',
  audio: null,
  embeddings: 'makes embeddings. Call /v1/embeddings instead.',
  rerank: 'puts documents in order. Call /v1/rerank instead.',
  moderation: 'judges texts by a policy. Call /v1/moderations instead.',
  video: 'makes videos. Call /v1/videos instead.',
  speech: 'makes speech. Call /v1/audio/speech instead.',
  transcription: 'transcribes speech. Call /v1/audio/transcriptions instead.',
};

function assertServes(model: Model, operation: Operation): void {
  const { outputs, refusals } = fits[operation];
  if (model.outputModalities.some((output) => outputs.includes(output))) return;
  const code = model.outputModalities.map((output) => refusals[output]).find((refusal) => refusal !== undefined);
  const home = model.outputModalities.map((output) => homes[output]).find((text) => text !== null);
  throw new ApiError(
    code ?? 'model_endpoint_mismatch',
    `${model.id} ${home ?? 'cannot be called through this endpoint.'}`,
  );
}
