// A model's answer as it arrives, in no vendor's format. Parts come in blocks: start, deltas, end, one block at a time
// for text and reasoning; tool inputs may overlap and are told apart by their index. `finish` and `usage` come last, in
// either order; where one comes again, the later one counts.

import type { FinishReason, TokenLogprob } from './answer.ts';
import type { Citation } from './conversation.ts';
import type { MadeImage } from './images.ts';
import type { JsonObject } from './json.ts';
import type { Usage } from './usage.ts';

export type StreamPart =
  | Readonly<{ type: 'text-start'; own?: JsonObject | undefined }>
  | Readonly<{ type: 'text-delta'; text: string }>
  | Readonly<{ type: 'text-end' }>
  /** Belongs to the latest text, or to the first one where none has come. */
  | Readonly<{ type: 'citation'; citation: Citation }>
  | Readonly<{ type: 'reasoning-start'; itemId?: string | undefined }>
  | Readonly<{ type: 'reasoning-delta'; text: string }>
  | Readonly<{
      type: 'reasoning-end';
      signature?: string | undefined;
      redactedData?: string | undefined;
      encryptedContent?: string | undefined;
    }>
  /** The input is JSON, unless it is plain. */
  | Readonly<{
      type: 'tool-input-start';
      index: number;
      id: string;
      name: string;
      namespace?: string | undefined;
      own?: JsonObject | undefined;
      isPlain?: boolean;
      /** The request offers no tool of this name: it is the model's own word. */
      isInvented?: true;
    }>
  | Readonly<{ type: 'tool-input-delta'; index: number; text: string }>
  | Readonly<{ type: 'tool-input-end'; index: number }>
  /**
   * As in a whole answer, except that an input that came in pieces is their text. `writtenLength` is what came in
   * pieces: those are the model's words.
   */
  | Readonly<{ type: 'block'; block: JsonObject; writtenLength: number }>
  /** Belongs to text that has come. */
  | Readonly<{ type: 'logprobs'; tokens: readonly TokenLogprob[] }>
  /** Shown by dialects that have a place for it. */
  | Readonly<{ type: 'picture'; picture: MadeImage }>
  | Readonly<{ type: 'usage'; usage: Usage | null }>
  /** What a whole answer has beside its parts only in the upstream's format; before the finish. */
  | Readonly<{ type: 'own'; members: JsonObject }>
  | Readonly<{
      type: 'finish';
      reason: FinishReason;
      native: string | null;
      stopSequence: string | null;
      /** The upstream states an end with every frame: only its own end of the stream tells which was the last. */
      isUnsure?: true;
    }>
  | Readonly<{ type: 'error'; fault: StreamFault }>
  /** The upstream's own end mark: nothing more will come. */
  | Readonly<{ type: 'done' }>;

/** Why a stream that had begun well cannot go on. `detail` is for our logs only, unless the stream is blocked. */
export type StreamFault = Readonly<{
  /** `blocked`: the organization's own rules on answers have ended the stream, and the detail says so. */
  kind: 'malformed' | 'oversize' | 'upstream-error' | 'blocked';
  detail: string;
  /** The upstream's numeric status inside an error frame, where it gave one. */
  status: number | null;
  /** The model itself has ended so, as a caller can bring about: the provider is not at fault. */
  isProvoked?: boolean;
  /** It is how the upstream has ended the answer: what it states to have used is charged, as for a whole one. */
  isEnd?: boolean;
}>;

/** Takes bytes of an upstream's stream and gives parts; the same parts however the bytes are split. */
export type StreamDecoder = Readonly<{
  /** What it keeps in memory of what has come, as of a frame that is not complete. */
  keptBytes: number;
  push(chunk: Buffer): readonly StreamPart[];
  /** The upstream has ended; a last frame without its blank line still counts. */
  end(): readonly StreamPart[];
}>;

export type DecoderWishes = Readonly<{
  /** A frame with a picture in it may be larger than others. */
  mayHoldPictures?: boolean | undefined;
  /** What only the upstream's format has is given too: the client's is the same. */
  keepsBlocks?: boolean | undefined;
}>;
