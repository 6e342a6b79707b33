// A model's whole answer, in no vendor's format.

import type { JsonDocument } from '../platform/json-document.ts';
import type { AssistantPart } from './conversation.ts';
import type { AnswerFormat } from './format.ts';
import type { MadeImage, ShownImage } from './images.ts';
import type { JsonObject } from './json.ts';
import type { Usage } from './usage.ts';

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/**
 * What only the upstream's own format has: what its own tools were given and returned, or what it has made of the
 * conversation so far. Clients of that format get it as it came, and send it back; no others get it.
 */
type BlockPart = Readonly<{ type: 'block'; block: JsonObject }>;

export type AnswerPart = AssistantPart | BlockPart;

export type Answer = Readonly<{
  parts: readonly AnswerPart[];
  finishReason: FinishReason;
  /** The upstream's own word for the finish reason. */
  nativeFinishReason: string | null;
  /** The stop sequence that ended the answer, where the upstream says which. */
  stopSequence: string | null;
  /** What it has beside its parts only in the upstream's format, as where its tools ran. Others do not get it. */
  own?: JsonObject | undefined;
  usage: Usage | null;
  /** Log probabilities of its text, where they were asked for. */
  logprobs?: readonly TokenLogprob[];
  /** Pictures that the model made; absent for nearly all answers. */
  pictures?: readonly MadeImage[];
  /** The same pictures after the dialect has stored them. */
  shown?: readonly ShownImage[];
}>;

/** How likely a token was, and the likeliest alternatives, the likeliest first. */
export type TokenLogprob = Logprob & Readonly<{ others: readonly Logprob[] }>;
type Logprob = Readonly<{ token: string; logprob: number }>;

/** A conversation's whole answer as it came, and how to read it for a client with another format. */
export type ConversationAnswer = SourcedJson & Readonly<{ format: AnswerFormat; toAnswer(): Answer }>;

/** `json` decides; members that are still those of the source are sent as the source's bytes. */
export type SourcedJson = Readonly<{ json: JsonObject; source: JsonDocument }>;

/** The media type of a stream of events, also where it is sent at once. */
export const EVENTS_TYPE = 'text/event-stream; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A whole answer, ready to be sent. */
export type Content = Readonly<{ type: string; body: string | Uint8Array }>;

// Reviews a model's answer before a client sees it. Most calls have no review: only those of organizations with rules
// on answers do.

export type ReviewedTexts = Readonly<{
  /** The parts of all texts as they may be shown, in their order. */
  texts: readonly string[];
  /** Why none of them may be shown; null when they may. */
  refusal: string | null;
}>;

/** A text of an answer, in the parts that it comes in. Reviewers read them as one. */
export type AnswerText = Readonly<{
  parts: readonly string[];
  /** The end of what the client already has of it: it is read before the first part, and cannot be changed. */
  sent?: string;
}>;

/** A text as it grows. A part that could be the beginning of something forbidden is kept back until that is decided. */
export type OutputWindow = {
  /** Answers what may be shown now. */
  push(text: string): string;
  /** Answers the rest: the block is over. Text that is pushed later is read together with what was shown. */
  end(): string;
  /** Looking at the text as it grows takes too long: what was kept back, and what is to come, is left to `whole`. */
  readonly isSlow: boolean;
  /** Takes out what was kept back, unread, with the end of what was shown before it. */
  rest(): Readonly<{ sent: string; kept: string }>;
  /** Once set, nothing more may be shown. */
  readonly refusal: string | null;
};

export type OutputReview = Readonly<{
  whole(texts: readonly AnswerText[]): ReviewedTexts | Promise<ReviewedTexts>;
  /** Null where an answer can only be checked as a whole, and is kept back until then. */
  openWindow: (() => OutputWindow) | null;
}>;
