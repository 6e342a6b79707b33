// What tells SDKs how soon to ask again about a job. They come back after a second otherwise.

import type { HeaderList } from '../../http/respond.ts';

/** Specification, Limits: clients poll at least five seconds apart. */
export const POLL_HEADERS: HeaderList = ['openai-poll-after-ms', '5000'];
