// The dialect of a conversation, from the functions that each format writes. An upstream's answer of the same format is
// passed on with only the necessary changes, any other by way of the canonical form.

import { type Answer, type Content, type ConversationAnswer, JSON_TYPE } from '../canonical/answer.ts';
import type { ConversationFormat } from '../canonical/format.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { Usage } from '../canonical/usage.ts';
import { assert } from '../platform/assert.ts';
import type { JsonDocument } from '../platform/json-document.ts';
import { type Bill, type Dialect, JSON_ONLY } from './dialect.ts';
import { GuardedPipe } from './guarded-stream.ts';
import { withoutOwn } from './map-answer.ts';
import { openDecoder } from './plain-inputs.ts';
import type { RenderContext, StreamPipe, StreamRenderer } from './stream-pipe.ts';
import { TranslatingPipe } from './translating-pipe.ts';

type ConversationDialectParts = Readonly<{
  format: ConversationFormat;
  forwardedHeaders: readonly string[];
  parse(body: JsonObject, source?: JsonDocument | null): ConversationRequest;
  /** An answer of an upstream that speaks this format: only what must change is changed. */
  renderSame(answer: ConversationAnswer, context: RenderContext, bill: Bill): string | Buffer;
  renderAnswer(answer: Answer, context: RenderContext, bill: Bill): string;
  /** A stream of an upstream that speaks this format. `readUsage` reads its usage records. */
  openSame(context: RenderContext, readUsage: (value: unknown) => Usage | null): StreamPipe;
  createRenderer(context: RenderContext): StreamRenderer;
}>;

export type ConversationDialect = ConversationDialectParts & Dialect<'chat'>;

export function conversationDialect(parts: ConversationDialectParts): ConversationDialect {
  return {
    ...parts,
    operation: 'chat',
    intake: JSON_ONLY,
    read: ({ body, source = null }) => parts.parse(body, source),
    render(answer, context, bill) {
      return jsonContent(
        answer.format === parts.format
          ? parts.renderSame(answer, context, bill)
          : parts.renderAnswer(readAnswer(answer), context, bill),
      );
    },
    openPipe(source, context) {
      const { format, readUsage } = source;
      assert(readUsage !== undefined, 'a codec of conversations reads streams');
      const { review = null, makesImages: mayHoldPictures } = context;
      const isSame = format === parts.format;
      if (review === null && isSame) return parts.openSame(context, readUsage);
      const decoder = openDecoder(source, context, { mayHoldPictures, keepsBlocks: isSame });
      const renderer = parts.createRenderer(context);
      return review === null ? new TranslatingPipe(decoder, renderer) : new GuardedPipe(decoder, renderer, review);
    },
  };
}

/** One that was reviewed has of its own only what this format knows. */
function readAnswer({ format, toAnswer }: ConversationAnswer): Answer {
  return format === 'native' ? toAnswer() : withoutOwn(toAnswer());
}

function jsonContent(body: string | Buffer): Content {
  return { type: JSON_TYPE, body };
}
