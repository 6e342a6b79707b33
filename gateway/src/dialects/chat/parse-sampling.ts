// The table of fields that are checked by themselves: name, then what a value must be. The body's own keys are looked
// up in it, so a short request costs a few look-ups and an unknown field costs one and is left alone.

import { isJsonObject, isSet } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import {
  checkBoolean,
  checkObject,
  checkString,
  checkTokenLimit,
  checkWholeNumber,
  type FieldCheck,
  numberWithin,
} from '../field-checks.ts';
import { refuseField } from '../refuse.ts';

const STOP_SEQUENCES_MAX = 16;
const LOGIT_BIASES_MAX = 1_024;
const CHOICES_MAX = 128;
const SEED_MAX = 2 ** 63;
const DIGITS = /^\d{1,10}$/;

const checks = new Map<string, FieldCheck>([
  ['stream', checkBoolean],
  ['stream_options', checkObject],
  ['temperature', numberWithin(0, 2)],
  ['top_p', numberWithin(0, 1)],
  ['min_p', numberWithin(0, 1)],
  ['top_a', numberWithin(0, 1)],
  ['frequency_penalty', numberWithin(-2, 2)],
  ['presence_penalty', numberWithin(-2, 2)],
  ['repetition_penalty', checkRepetitionPenalty],
  ['top_k', checkWholeNumber],
  ['seed', checkSeed],
  ['n', checkChoiceCount],
  ['max_tokens', checkTokenLimit],
  ['max_completion_tokens', checkTokenLimit],
  ['stop', checkStop],
  ['user', checkString],
  ['logit_bias', checkLogitBias],
  ['logprobs', checkBoolean],
  ['top_logprobs', checkTopLogprobs],
  ['parallel_tool_calls', checkBoolean],
  ['structured_outputs', checkBoolean],
  ['modalities', checkModalities],
  ['image_config', checkObject],
  ['reasoning_effort', checkString],
  ['reasoning', checkReasoning],
  ['thinking', checkThinking],
  ['enable_thinking', checkBoolean],
  ['route', checkString],
]);

export function checkField(field: string, value: unknown): void {
  if (isSet(value)) checks.get(field)?.(value, field);
}

function checkTopLogprobs(value: unknown, field: string): void {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 20) {
    throw refuseField(field, 'must be an integer from 0 to 20');
  }
}

/** Providers take seeds of 64 bits; one that a number cannot hold exactly arrives as a bigint. */
function checkSeed(value: unknown, field: string): void {
  const isInteger = typeof value === 'bigint' || Number.isInteger(value);
  if (!isInteger || (value as number | bigint) < -SEED_MAX || (value as number | bigint) > SEED_MAX) {
    throw refuseField(field, 'must be an integer of at most 64 bits');
  }
}

function checkRepetitionPenalty(value: unknown, field: string): void {
  if (typeof value !== 'number' || !(value > 0 && value <= 2)) {
    throw refuseField(field, 'must be a number above 0 and at most 2');
  }
}

function checkChoiceCount(value: unknown): void {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > CHOICES_MAX) {
    throw new ApiError('invalid_n', `n must be an integer from 1 to ${CHOICES_MAX}.`);
  }
}

function checkStop(value: unknown, field: string): void {
  if (typeof value === 'string') return;
  const isList = Array.isArray(value) && value.length <= STOP_SEQUENCES_MAX;
  if (!isList || !value.every((item) => typeof item === 'string')) {
    throw refuseField(field, `must be a string or an array of at most ${STOP_SEQUENCES_MAX} strings`);
  }
}

function checkLogitBias(value: unknown, field: string): void {
  if (!isJsonObject(value)) throw refuseField(field, 'must be an object of token ids and numbers');
  const entries = Object.entries(value);
  if (entries.length > LOGIT_BIASES_MAX) throw refuseField(field, `may hold at most ${LOGIT_BIASES_MAX} tokens`);
  for (const [token, bias] of entries) {
    if (!DIGITS.test(token)) throw refuseField(field, 'must have token ids as keys');
    if (typeof bias !== 'number' || !(bias >= -100 && bias <= 100)) {
      throw refuseField(field, 'must have numbers from -100 to 100 as values');
    }
  }
}

function checkModalities(value: unknown, field: string): void {
  if (!Array.isArray(value) || !value.every((item) => item === 'text' || item === 'image')) {
    throw refuseField(field, 'must be an array of text and image');
  }
}

/** An unknown effort is accepted, because clients send new ones before we know them. */
function checkReasoning(value: unknown, field: string): void {
  checkObject(value, field);
  const { effort, max_tokens: tokensMax, exclude } = value;
  if (isSet(effort)) checkString(effort, `${field}.effort`);
  if (isSet(exclude)) checkBoolean(exclude, `${field}.exclude`);
  if (isSet(tokensMax)) checkWholeNumber(tokensMax, `${field}.max_tokens`);
}

function checkThinking(value: unknown, field: string): void {
  checkObject(value, field);
  checkString(value.type, `${field}.type`);
  if (isSet(value.budget_tokens)) checkWholeNumber(value.budget_tokens, `${field}.budget_tokens`);
}
