// What a dialect is: how to read a client's call, and how to write an answer, whole and streamed, from an upstream of
// the same format and from the vendor-neutral form. All of it is pure.

import type { Answer } from '../canonical/answer.ts';
import type { Format } from '../canonical/format.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { Usage } from '../canonical/usage.ts';
import type { RenderContext, StreamPipe, StreamRenderer } from './stream-pipe.ts';

/** What the call came to; zero usage and zero cost when nothing billable was reported. */
export type Bill = Readonly<{ usage: Usage; costUsd: number }>;

export type Dialect = Readonly<{
  format: Format;
  /** Request headers, in lower case, that an upstream of the same format needs to understand the body. */
  forwardedHeaders: readonly string[];
  parse(body: JsonObject): CanonicalRequest;
  /** An answer of an upstream that speaks this format: only what must change is changed. */
  renderSame(json: JsonObject, context: RenderContext, bill: Bill): string;
  renderAnswer(answer: Answer, context: RenderContext, bill: Bill): string;
  /** A stream of an upstream that speaks this format. `readUsage` makes sense of its usage records. */
  openSame(context: RenderContext, readUsage: (value: unknown) => Usage | null): StreamPipe;
  createRenderer(context: RenderContext): StreamRenderer;
}>;
