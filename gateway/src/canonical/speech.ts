// Text to sound. The answer is bytes that pass through unchanged, so it has no canonical form.

import type { RequestBase, WithTexts } from './request.ts';

export type SpeechRequest = RequestBase &
  Readonly<{
    operation: 'speech';
    format: 'speech';
    withTexts: WithTexts<SpeechRequest>;
    /** Media types, or their beginnings, that an answer to this request may have. */
    expectedTypes: readonly string[];
  }>;
