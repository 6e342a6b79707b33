// A chat stream with pictures in it. Words pass as in any other; pictures are taken out, looked at and kept when all has
// come, and shown after the call has been paid, in a chunk and in events of their own.

import type { ImageKeeper, MadeImage, ShownImage } from '../../canonical/images.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { StreamFault } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { DONE_EVENT, imageEvents, usageEvent } from '../images/image-events.ts';
import { isUnusable, lookAt, noImages, type UnusableImages, withImages } from '../images/receive-images.ts';
import type { RenderContext, StreamPipe } from '../stream-pipe.ts';
import { chatImage, mustHoldImage, readChatImages } from './chat-images.ts';
import { FrameGatherer } from './frame-gatherer.ts';
import { CHAT_DONE_FRAME } from './frames.ts';
import { ChatStreamSplicer, encodeFrame } from './splice-stream.ts';

const FRAME_BYTES_MAX = 32 * 1024 * 1024;

export class ChatImagePipe implements StreamPipe {
  readonly #splicer: ChatStreamSplicer;
  readonly #gatherer = new FrameGatherer(FRAME_BYTES_MAX);
  readonly #context: RenderContext;
  readonly #keeper: ImageKeeper;
  /** By the choice that they belong to. */
  readonly #made = new Map<number, MadeImage[]>();
  readonly #shown = new Map<number, readonly ShownImage[]>();
  #imagesLeft: number;

  constructor(context: RenderContext, readUsage: (value: unknown) => Usage | null, keeper: ImageKeeper) {
    this.#context = context;
    this.#keeper = keeper;
    this.#imagesLeft = context.request.unitsMax.images ?? 0;
    this.#splicer = new ChatStreamSplicer(context, readUsage, {
      frameBytesMax: FRAME_BYTES_MAX,
      take: (images, choice) => {
        const made = readChatImages(images, this.#imagesLeft);
        this.#imagesLeft -= made.length;
        if (made.length > 0) this.#made.set(choice, [...(this.#made.get(choice) ?? []), ...made]);
      },
    });
  }

  push(chunk: Buffer): string {
    const bytes = this.#gatherer.push(chunk);
    return bytes === null ? '' : this.#splicer.push(bytes);
  }

  end(): string {
    return this.#splicer.push(this.#gatherer.take()) + this.#splicer.end();
  }

  async complete(): Promise<ApiError | null> {
    if (this.#made.size === 0) return mustHoldImage(this.#context.request) ? asError(noImages()) : null;
    let problem = noImages();
    for (const [choice, made] of this.#made) {
      const shown = await lookAt(made, this.#keeper.keep);
      if (isUnusable(shown)) problem = shown;
      else this.#shown.set(choice, shown);
    }
    this.#made.clear();
    return this.#shown.size === 0 ? asError(problem) : null;
  }

  finale(usage: Usage, costUsd: number): string {
    const { request, elapsedMs } = this.#context;
    const chunk = this.#shown.size === 0 ? '' : encodeFrame(this.#chunk());
    const finish = this.#splicer.finale(usage, costUsd);
    if (!request.needs.imageOutput) return chunk + finish;
    const events = usageEvent({ usage, costUsd }, elapsedMs?.() ?? 0) + DONE_EVENT;
    const untilDone = finish.slice(0, -CHAT_DONE_FRAME.length);
    return imageEvents([...this.#shown.values()].flat()) + chunk + untilDone + events + CHAT_DONE_FRAME;
  }

  failure(error: ApiError): string {
    return this.#splicer.failure(error);
  }

  get usage(): Usage | null {
    const { usage } = this.#splicer;
    const count = [...this.#shown.values()].flat().length;
    return count === 0 ? usage : withImages(usage, count);
  }

  get keepAliveFrame(): string {
    return this.#splicer.keepAliveFrame;
  }

  get isDone(): boolean {
    return this.#splicer.isDone;
  }

  get hasFinished(): boolean {
    return this.#splicer.hasFinished;
  }

  get finishReason(): string | null {
    return this.#splicer.finishReason;
  }

  get hasUsage(): boolean {
    return this.#splicer.hasUsage;
  }

  get fault(): StreamFault | null {
    return this.#splicer.fault;
  }

  get frameCount(): number {
    return this.#splicer.frameCount;
  }

  get contentBytes(): number {
    return this.#splicer.contentBytes;
  }

  /** For clients that look for pictures where they look for words. */
  #chunk(): JsonObject {
    const { id, modelId, createdSeconds } = this.#context;
    const choices = [...this.#shown].map(([index, images]) => {
      return { index, delta: { images: images.map(chatImage) }, finish_reason: null };
    });
    return {
      id,
      object: 'chat.completion.chunk',
      created: createdSeconds,
      model: modelId,
      choices,
    };
  }
}

function asError({ code, publicMessage, detail }: UnusableImages): ApiError {
  return new ApiError(code, publicMessage, { detail });
}
