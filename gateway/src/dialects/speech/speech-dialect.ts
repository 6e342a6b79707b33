// The dialect of speech: JSON in, and the upstream's sound out as it comes.

import { type Dialect, JSON_ONLY } from '../dialect.ts';
import { parseSpeechRequest } from './parse-request.ts';
import { SpeechPipe } from './speech-pipe.ts';

export const speechDialect: Dialect<'speech'> = {
  operation: 'speech',
  format: 'speech',
  forwardedHeaders: [],
  intake: JSON_ONLY,
  read: ({ body }) => parseSpeechRequest(body),
  openPipe: (_, { request }) => new SpeechPipe(request),
};
