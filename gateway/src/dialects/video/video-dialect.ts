// The dialect of video orders: a form or JSON in. The answer is the job itself, which every later question about it
// gets as well.

import type { Dialect, Intake } from '../dialect.ts';
import { parseVideoRequest } from './parse-request.ts';

/** The route's limit on the whole body comes first; the rest of it is for the file. */
const INTAKE: Intake = {
  form: { filesMax: 1, fileBytesMax: 10_485_760, fieldsMax: 48, fieldBytesMax: 131_072 },
  formOnly: null,
};

export const videoDialect: Dialect<'video'> = {
  operation: 'video',
  format: 'video',
  forwardedHeaders: [],
  intake: INTAKE,
  read: parseVideoRequest,
};

// What tells SDKs how soon to ask again about a job. They come back after a second otherwise.

/** Names and values in turn. Specification, Limits: clients poll at least five seconds apart. */
export const POLL_HEADERS: readonly string[] = ['openai-poll-after-ms', '5000'];
