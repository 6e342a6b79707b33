// POST /audio/speech. The answer is a file, so only refusals are decoded.

import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { SpeechRequest } from '../../../canonical/operation.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import type { Codec, UpstreamCall } from '../../protocol.ts';
import { decodeError } from './decode-error.ts';

/** Fields for the gateway. */
const GATEWAY_FIELDS = ['models', 'provider', 'usage', 'session_id'];

export const speechCodec: Codec<'speech'> = { format: 'speech', encode: encodeSpeech, decodeError };

function encodeSpeech({ body }: SpeechRequest, { upstreamModel }: Candidate): UpstreamCall {
  const sent: JsonObject = { ...body, model: upstreamModel };
  for (const field of GATEWAY_FIELDS) delete sent[field];
  return { path: '/audio/speech', body: stringifyExactJson(sent), accept: '*/*' };
}
