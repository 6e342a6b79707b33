// A dialect: how to read a client's call, and how to write an answer to it, whole or streamed. The pipeline knows no
// more of an operation than this and the codec of the same name; what they exchange is canonical.

import type { Content } from '../canonical/answer.ts';
import type { Format } from '../canonical/format.ts';
import type { AnswerOf, Operation, RequestOf } from '../canonical/operation.ts';
import type { FormLimits, Submission } from '../canonical/submission.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { RenderContext, StreamPipe, StreamSource } from './stream-pipe.ts';

/** What the call used and cost; both zero when nothing billable was reported. */
export type Bill = Readonly<{ usage: Usage; costUsd: number }>;

/** Which bodies a dialect reads. Only JSON by default. */
export type Intake = Readonly<{
  /** Null where forms are not read. */
  form: FormLimits | null;
  /** Null where JSON is read too; otherwise the message for clients that send something else than a form. */
  formOnly: string | null;
}>;

/** Where the bytes are counted that an answer adds to memory; false where there is no room, and the call has failed. */
export type Room = Readonly<{ hold(bytes: number): boolean }>;

/** An answer after its dialect has received it, or why it is not one. */
export type Received<Answer> =
  | Readonly<{ kind: 'answer'; answer: Answer; usage: Usage | null }>
  | Readonly<{ kind: 'unusable'; code: ErrorCode; publicMessage: string; detail: string }>;

/** The event that a waiting client gets once a minute, and how a failure is written after that. */
export type Pulse = Readonly<{ frame: string; failure(error: ApiError): string }>;

/**
 * Members that take a request or an answer are methods on purpose: the compiler then accepts the dialect of one
 * operation as a dialect of any, and the pipeline may hold a dialect without knowing which. The endpoint sees that a
 * dialect gets only requests of its own operation, and `codecOf` that it gets only their answers.
 */
export type Dialect<Name extends Operation = Operation> = Readonly<{
  operation: Name;
  format: Format;
  /** Request headers, in lower case, that an upstream of the same format needs to understand the body. */
  forwardedHeaders: readonly string[];
  intake: Intake;
  /** Throws what is wrong with the body. */
  read(submission: Submission): RequestOf<Name>;
  /** Answers without a model and without a charge; null for all other requests. */
  answerHere?(request: RequestOf<Name>, owner: string): Promise<Content> | null;
  /**
   * Work that must be done before a whole answer counts as one: another provider is asked where the answer is unusable,
   * and only its usable part is charged. Null when there is nothing to do; so where the member is missing.
   */
  receive?(
    answer: AnswerOf<Name>,
    usage: Usage | null,
    context: RenderContext<RequestOf<Name>>,
    room: Room,
  ): Promise<Received<AnswerOf<Name>>> | null;
  /** Null where the client reads no events, or is kept waiting by other means. */
  pulse?(request: RequestOf<Name>): Pulse | null;
  /** Writes a whole answer, after it is paid for. Missing where answers are only streamed. */
  render?(answer: AnswerOf<Name>, context: RenderContext<RequestOf<Name>>, bill: Bill): Content | Promise<Content>;
  /** Opens the pipe for a streamed answer. Missing where answers are only whole. */
  openPipe?(source: StreamSource, context: RenderContext<RequestOf<Name>>): StreamPipe;
}>;

export const JSON_ONLY: Intake = { form: null, formOnly: null };
