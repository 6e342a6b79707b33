// A chat stream with pictures in it. They are stored, and shown at the end in a chunk and in events of their own.

import type { ImageKeeper } from '../../canonical/images.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { StreamDecoder } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { Bill } from '../dialect.ts';
import { IllustratedPipe, type ShownPictures, type TakePictures, withoutPictures } from '../images/illustrated-pipe.ts';
import { DONE_EVENT, imageEvents, usageEvent } from '../images/image-events.ts';
import { keepingFor } from '../images/receive-images.ts';
import type { RenderContext, StreamPipe } from '../stream-pipe.ts';
import { TranslatingPipe } from '../translating-pipe.ts';
import { chatImage, mustHoldImage, readChatImages } from './chat-images.ts';
import { CHAT_DONE_FRAME, chunkFrame } from './frames.ts';
import { createChatRenderer } from './render-stream.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

/** A picture comes in one frame. */
const FRAME_BYTES_MAX = 32 * 1024 * 1024;

/** For an upstream that speaks chat. */
export function spliceWithImages(
  context: RenderContext,
  readUsage: (value: unknown) => Usage | null,
  keeper: ImageKeeper,
): StreamPipe {
  return illustrated(context, keeper, (take, countLeft) => {
    const intake = (images: unknown, choice: number): void => take(readChatImages(images, countLeft()), choice);
    return new ChatStreamSplicer(context, readUsage, { frameBytesMax: FRAME_BYTES_MAX, take: intake });
  });
}

/** For an upstream of another format. */
export function translateWithImages(
  context: RenderContext,
  createDecoder: () => StreamDecoder,
  keeper: ImageKeeper,
): StreamPipe {
  return illustrated(context, keeper, (take, countLeft) => {
    const words = withoutPictures(createDecoder(), take, countLeft);
    return new TranslatingPipe(words, createChatRenderer(context));
  });
}

function illustrated(
  context: RenderContext,
  keeper: ImageKeeper,
  open: (take: TakePictures, countLeft: () => number) => StreamPipe,
): StreamPipe {
  const { request } = context;
  return new IllustratedPipe({
    look: keepingFor(keeper, context),
    countMax: request.unitsMax.images ?? 0,
    isRequired: mustHoldImage(request),
    open,
    finale: (words, shown, usage, costUsd) =>
      finaleOf(context, shown, words.finale(usage, costUsd), { usage, costUsd }),
  });
}

function finaleOf(context: RenderContext, shown: ShownPictures, finish: string, bill: Bill): string {
  const chunk = shown.size === 0 ? '' : chunkFrame(chunkOf(context, shown));
  if (!context.request.needs.imageOutput) return chunk + finish;
  const events = usageEvent(bill, context.elapsedMs?.() ?? 0) + DONE_EVENT;
  const untilDone = finish.slice(0, -CHAT_DONE_FRAME.length);
  return imageEvents([...shown.values()].flat()) + chunk + untilDone + events + CHAT_DONE_FRAME;
}

/** For clients that expect pictures where they expect words. */
function chunkOf({ id, modelId, createdSeconds }: RenderContext, shown: ShownPictures): JsonObject {
  const choices = [...shown].map(([index, images]) => {
    // Where the model says nothing, this chunk is the first, and clients need the role in that.
    return { index, delta: { role: 'assistant', images: images.map(chatImage) }, finish_reason: null };
  });
  return { id, object: 'chat.completion.chunk', created: createdSeconds, model: modelId, choices };
}
