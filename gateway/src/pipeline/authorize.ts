// Does this model fit this endpoint and this request? Everything here is decided from the catalog, before any money
// is held. Allow-lists join here once organizations have them.

import type { Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Resolution } from './resolve.ts';

export function authorize(request: CanonicalRequest, resolution: Resolution): void {
  const { model } = resolution.primary;
  assertServesChat(model);
  assertOffers(model, request);
  assertFits(model, request);
}

/** Fallbacks that could not serve the request are left out rather than refused. */
export function canServe(model: Model, request: CanonicalRequest): boolean {
  try {
    assertServesChat(model);
    assertOffers(model, request);
    assertFits(model, request);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function assertServesChat(model: Model): void {
  const outputs = model.outputModalities;
  if (outputs.includes('text') || outputs.includes('image')) return;
  if (outputs.includes('embeddings')) {
    throw new ApiError('embedding_on_chat_endpoint', `${model.id} makes embeddings. Call /v1/embeddings instead.`);
  }
  if (outputs.includes('video')) {
    throw new ApiError('wrong_endpoint_for_video', `${model.id} makes videos. Call /v1/videos instead.`);
  }
  throw new ApiError('model_endpoint_mismatch', `${model.id} cannot be called through this endpoint.`);
}

function assertOffers(model: Model, request: CanonicalRequest): void {
  const { needs } = request;
  if (needs.tools && model.supportedParameters !== null && !model.supportedParameters.includes('tools')) {
    throw new ApiError('tool_use_unsupported', `${model.id} does not support tools.`);
  }
  if (needs.imageOutput && !model.outputModalities.includes('image')) {
    throw new ApiError('invalid_modality_for_model', `${model.id} does not produce images.`);
  }
  if (model.inputModalities.length === 0) return;
  if (needs.imageInput && !model.inputModalities.includes('image')) {
    throw new ApiError('input_images_not_supported', `${model.id} does not take images.`);
  }
  if (needs.audioInput && !model.inputModalities.includes('audio')) {
    throw new ApiError('invalid_modality_for_model', `${model.id} does not take audio.`);
  }
  if (needs.videoInput && !model.inputModalities.includes('video')) {
    throw new ApiError('invalid_modality_for_model', `${model.id} does not take video.`);
  }
}

function assertFits(model: Model, request: CanonicalRequest): void {
  const { messagesMax } = model.traits;
  if (messagesMax !== null && request.messageCount > messagesMax) {
    throw new ApiError(
      'context_too_long',
      `${model.id} takes at most ${messagesMax} messages; this request has ${request.messageCount}.`,
    );
  }
  if (
    request.withOutputLimit === null &&
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
