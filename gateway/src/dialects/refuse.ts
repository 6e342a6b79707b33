// Refusals of the parsers of all dialects. They name the field as the caller wrote it, and never quote its value: it
// may be a prompt, a key or ten megabytes.

import { ApiError } from '../errors/api-error.ts';

/**
 * Wrong type or range, where no more specific code exists. `requirement` continues the sentence: "must be a string".
 */
export function refuseField(path: string, requirement: string): ApiError {
  return new ApiError('http_400', `${path} ${requirement}.`);
}

/** Hosted tools that the gateway knows and does not offer. */
export const HOSTED_TOOLS = new Set<unknown>(['web_search_preview', 'file_search', 'computer_use_preview']);

export function refuseHosted(path: string, type: unknown): ApiError {
  return new ApiError('unsupported_param', `${path} ${type} is a hosted tool, which is not supported. Send functions.`);
}

/** A summary was asked for, and not an answer; only a provider of the same format knows how to make one. */
export function refuseCompaction(path: string): ApiError {
  return new ApiError('unsupported_param', `${path} is not supported by the provider of this model.`);
}

export function refuseMissing(path: string): ApiError {
  return new ApiError('missing_required_field', `${path} is required.`);
}
