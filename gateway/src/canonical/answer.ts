// A model's whole answer in no vendor's format.

import type { JsonDocument } from '../platform/json-document.ts';
import type { AssistantPart } from './conversation.ts';
import type { AnswerFormat } from './format.ts';
import type { MadeImage, ShownImage } from './images.ts';
import type { JsonObject } from './json.ts';
import type { Usage } from './usage.ts';

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

export type Answer = Readonly<{
  parts: readonly AssistantPart[];
  finishReason: FinishReason;
  /** The upstream's own word for it. */
  nativeFinishReason: string | null;
  /** The stop sequence that was met, where the upstream says which. */
  stopSequence: string | null;
  usage: Usage | null;
  /** Of its text, where that was asked for. */
  logprobs?: readonly TokenLogprob[];
  /** What the model made besides words; absent for nearly all. */
  pictures?: readonly MadeImage[];
  /** The same once the dialect has received them. */
  shown?: readonly ShownImage[];
}>;

/** How likely a token was to the model, and which others were, the likeliest first. */
export type TokenLogprob = Logprob & Readonly<{ others: readonly Logprob[] }>;
type Logprob = Readonly<{ token: string; logprob: number }>;

/** A conversation's whole answer as it came, and how to read it where the client speaks another format. */
export type ConversationAnswer = SourcedJson & Readonly<{ format: AnswerFormat; toAnswer(): Answer }>;

/** `json` is what counts; where its members are those of the source still, the source's bytes will do for them. */
export type SourcedJson = Readonly<{ json: JsonObject; source: JsonDocument }>;

/** The media type of a stream of events, also of one that is sent at once. */
export const EVENTS_TYPE = 'text/event-stream; charset=utf-8';

/** A whole answer, ready to be sent. */
export type Content = Readonly<{ type: string; body: string | Uint8Array }>;

// Reviews what a model has answered before a client sees it. Most calls have none: it is there where an organization
// has rules on answers, and nobody else pays for it.

export type ReviewedTexts = Readonly<{
  /** As they may be shown, in their order. */
  texts: readonly string[];
  /** Why none of them may be shown; null when they may. */
  refusal: string | null;
}>;

/** A text as it grows. What could be the beginning of something that must not be shown is kept until that is decided. */
export type OutputWindow = {
  /** What may be shown now. */
  push(text: string): string;
  /** The rest: nothing more will come. */
  end(): string;
  /** Once set, nothing more may be shown. */
  readonly refusal: string | null;
};

export type OutputReview = Readonly<{
  whole(texts: readonly string[]): ReviewedTexts | Promise<ReviewedTexts>;
  /** Null where an answer can only be judged as a whole, and is kept until then. */
  openWindow: (() => OutputWindow) | null;
}>;
