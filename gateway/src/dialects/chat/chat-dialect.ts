// The dialect of Chat Completions: everything the pipeline needs to read a client's call and to write an answer to it.

import type { ImageKeeper } from '../../canonical/images.ts';
import type { StreamDecoder } from '../../canonical/stream-part.ts';
import { assert } from '../../platform/assert.ts';
import { type ConversationDialect, conversationDialect } from '../conversation-dialect.ts';
import type { Pulse } from '../dialect.ts';
import { reviewed } from '../guarded-stream.ts';
import { HEARTBEAT_EVENT } from '../images/image-events.ts';
import { openDecoder } from '../plain-inputs.ts';
import { mayHoldImages } from './chat-images.ts';
import { readCustomNames } from './custom-calls.ts';
import { CHAT_DONE_FRAME, chatErrorFrame } from './frames.ts';
import { spliceWithImages, translateWithImages } from './image-pipe.ts';
import { parseChatRequest } from './parse-request.ts';
import { receiveChatImages } from './receive-chat-images.ts';
import { renderChatAnswer } from './render-answer.ts';
import { renderChatResponse } from './render-response.ts';
import { createChatRenderer } from './render-stream.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

export const chatDialect = conversationDialect({
  format: 'chat',
  forwardedHeaders: [],
  parse: parseChatRequest,
  renderSame: (answer, context, bill) =>
    renderChatResponse(answer, {
      id: context.id,
      modelId: context.modelId,
      createdSeconds: context.createdSeconds,
      hidesReasoning: context.request.hidesReasoning,
      customNames: readCustomNames(context.request.body),
      usage: bill.usage,
      costUsd: bill.costUsd,
    }),
  renderAnswer: renderChatAnswer,
  openSame: (context, readUsage) => new ChatStreamSplicer(context, readUsage),
  createRenderer: createChatRenderer,
});

const IMAGE_PULSE: Pulse = {
  frame: HEARTBEAT_EVENT,
  failure: (error) => chatErrorFrame(error) + CHAT_DONE_FRAME,
};

/** With a keeper that stores the pictures that models make. */
export function illustratedChatDialect(keeper: ImageKeeper): ConversationDialect {
  const { openPipe } = chatDialect;
  assert(openPipe !== undefined, 'conversations come in streams too');
  return {
    ...chatDialect,
    receive: (answer, usage, context) => receiveChatImages(answer, usage, context, keeper),
    pulse: ({ isStream, needs }) => (isStream && needs.imageOutput ? IMAGE_PULSE : null),
    openPipe(source, context) {
      if (!mayHoldImages(context)) return openPipe(source, context);
      const { format, readUsage } = source;
      assert(readUsage !== undefined, 'a codec of conversations reads streams');
      const { review = null } = context;
      if (review !== null && review.openWindow === null) return openPipe(source, context);
      const decode = (): StreamDecoder => reviewed(openDecoder(source, context, { mayHoldPictures: true }), review);
      const isSpliced = format === 'chat' && review === null;
      return isSpliced ? spliceWithImages(context, readUsage, keeper) : translateWithImages(context, decode, keeper);
    },
  };
}
