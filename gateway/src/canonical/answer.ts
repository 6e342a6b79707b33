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
  /** What the model made besides words; absent for nearly all. */
  pictures?: readonly MadeImage[];
  /** The same once the dialect has received them. */
  shown?: readonly ShownImage[];
}>;

/** A conversation's whole answer as it came, and how to read it where the client speaks another format. */
export type ConversationAnswer = SourcedJson & Readonly<{ format: AnswerFormat; toAnswer(): Answer }>;

/** `json` is what counts; where its members are those of the source still, the source's bytes will do for them. */
export type SourcedJson = Readonly<{ json: JsonObject; source: JsonDocument }>;
