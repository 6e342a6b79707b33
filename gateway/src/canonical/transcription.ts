// Sound to text: a recording goes in, and what was said comes out in the format that the client asked for.

import type { JsonObject } from './json.ts';
import type { RequestBase, WithTexts } from './request.ts';
import type { UploadedFile } from './submission.ts';

export type TranscriptionRequest = RequestBase &
  Readonly<{
    operation: 'transcription';
    format: 'transcription';
    withTexts: WithTexts<TranscriptionRequest>;
    file: UploadedFile;
    /** What the client wants. Upstreams are asked for JSON throughout, since only that has a place for the usage. */
    responseFormat: string;
  }>;

/** Has a text; everything else is as the upstream sent it. */
export type TranscriptionAnswer = Readonly<{ json: JsonObject }>;
