// What tells SDKs how soon to ask again about a job. They come back after a second otherwise.

/** Names and values in turn. Specification, Limits: clients poll at least five seconds apart. */
export const POLL_HEADERS: readonly string[] = ['openai-poll-after-ms', '5000'];
