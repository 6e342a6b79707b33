// What a dialect is: how to read a client's call, and how to write an answer to it, whole or streamed. The pipeline knows
// no more of an operation than this and the codec of the same name; what either hands to the other is canonical.

import type { Content } from '../canonical/answer.ts';
import type { Format } from '../canonical/format.ts';
import type { AnswerOf, Operation, RequestOf } from '../canonical/operation.ts';
import type { FormLimits, Submission } from '../canonical/submission.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { RenderContext, StreamPipe, StreamSource } from './stream-pipe.ts';

/** What the call came to; zero usage and zero cost when nothing billable was reported. */
export type Bill = Readonly<{ usage: Usage; costUsd: number }>;

/** Which bodies a dialect reads. JSON alone unless it says more. */
export type Intake = Readonly<{
  /** Null where forms are not read. */
  form: FormLimits | null;
  /** Null where JSON is read too; otherwise what to tell who sends something else than a form. */
  formOnly: string | null;
}>;

/** An answer after its dialect has received it, or why it is none after all. */
export type Received<Answer> =
  | Readonly<{ kind: 'answer'; answer: Answer; usage: Usage | null }>
  | Readonly<{ kind: 'unusable'; code: ErrorCode; publicMessage: string; detail: string }>;

/** What a client that waits for events gets once a minute, and how it is told of a failure after that. */
export type Pulse = Readonly<{ frame: string; failure(error: ApiError): string }>;

/**
 * Members that take a request or an answer are methods on purpose: those of one operation then count as those of any,
 * and the pipeline may hold a dialect without knowing which. That a dialect meets only its own operation's requests is
 * seen to by the endpoint, and that it meets only their answers by `codecOf`.
 */
export type Dialect<Name extends Operation = Operation> = Readonly<{
  operation: Name;
  format: Format;
  /** Request headers, in lower case, that an upstream of the same format needs to understand the body. */
  forwardedHeaders: readonly string[];
  intake: Intake;
  /** Throws what is wrong with it. */
  read(submission: Submission): RequestOf<Name>;
  /** What the gateway answers by itself, without a model and without a charge; null for the rest. */
  answerHere?(request: RequestOf<Name>, owner: string): Promise<Content> | null;
  /**
   * What has to be done with a whole answer before it counts as one: another provider is asked where it is unusable, and
   * only what is left of it is paid for. Null when there is nothing to do, as where it is missing.
   */
  receive?(
    answer: AnswerOf<Name>,
    usage: Usage | null,
    context: RenderContext<RequestOf<Name>>,
  ): Promise<Received<AnswerOf<Name>>> | null;
  /** Null where the client reads no events, or is kept waiting by other means. */
  pulse?(request: RequestOf<Name>): Pulse | null;
  /** A whole answer, once it is paid for. Missing where answers are streams only. */
  render?(answer: AnswerOf<Name>, context: RenderContext<RequestOf<Name>>, bill: Bill): Content | Promise<Content>;
  /** What carries a streamed answer. Missing where answers are whole only. */
  openPipe?(source: StreamSource, context: RenderContext<RequestOf<Name>>): StreamPipe;
}>;

export const JSON_ONLY: Intake = { form: null, formOnly: null };
