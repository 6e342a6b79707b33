// The limits on a client's JSON, and the error for a body that exceeds them.

import { ApiError } from '../errors/api-error.ts';
import {
  JsonLimitError,
  type JsonLimits,
  type ScannedJson,
  scanJson as scan,
  scanJsonInSlices,
} from '../platform/json-scan.ts';
import type { LongTask } from '../platform/turns.ts';

const LIMITS: JsonLimits = {
  depthMax: 64,
  tokensMax: 200_000,
  membersMax: 5_000,
  numberLengthMax: 128,
  refusesHugeNumbers: true,
};

/** Larger bodies are read in slices of this size, with other calls served in between. */
export const SLICE_BYTES = 262_144;

/** Refuses structures that would be too expensive to parse, with 400. */
export const scanLongJson = (bytes: Buffer, task: LongTask): Promise<ScannedJson> =>
  scanJsonInSlices(bytes, LIMITS, task).catch(refuse);

/** The same at once, for a body of a slice at most. */
export function scanJson(bytes: Buffer): ScannedJson {
  try {
    return scan(bytes, LIMITS);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof JsonLimitError) {
    throw new ApiError('http_400', `The JSON in the request body ${error.message}.`);
  }
  throw error;
}
