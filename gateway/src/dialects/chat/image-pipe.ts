// A chat stream with pictures in it. Words pass as in any other; pictures are taken out, looked at and kept when all has
// come, and shown after the call has been paid, in a chunk and in events of their own.

import type { ImageKeeper, MadeImage, ShownImage } from '../../canonical/images.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { DONE_EVENT, imageEvents, usageEvent } from '../images/image-events.ts';
import { isUnusable, lookAt, noImages, type UnusableImages, withImages } from '../images/receive-images.ts';
import type { RenderContext, StreamOutput, StreamPipe } from '../stream-pipe.ts';
import { TranslatingPipe } from '../translating-pipe.ts';
import { chatImage, mustHoldImage, readChatImages } from './chat-images.ts';
import { FrameGatherer } from './frame-gatherer.ts';
import { CHAT_DONE_FRAME } from './frames.ts';
import { createChatRenderer } from './render-stream.ts';
import { ChatStreamSplicer, encodeFrame } from './splice-stream.ts';

const FRAME_BYTES_MAX = 32 * 1024 * 1024;

/** Opens what carries the words, and hands over the pictures with the choice that they belong to. */
type OpenWords = (take: (made: readonly MadeImage[], choice: number) => void, countLeft: () => number) => StreamPipe;

/** Of an upstream that speaks chat. */
export function spliceWithImages(context: RenderContext, readUsage: (value: unknown) => Usage | null): OpenWords {
  return (take, countLeft) =>
    new GatheringSplicer(context, readUsage, {
      frameBytesMax: FRAME_BYTES_MAX,
      take: (images, choice) => take(readChatImages(images, countLeft()), choice),
    });
}

/** A picture comes in one frame, which is put together before anybody looks at it. */
class GatheringSplicer extends ChatStreamSplicer {
  readonly #gatherer = new FrameGatherer(FRAME_BYTES_MAX);

  override push(chunk: Buffer): string {
    const bytes = this.#gatherer.push(chunk);
    return bytes === null ? '' : super.push(bytes);
  }

  override end(): string {
    return super.push(this.#gatherer.take()) + super.end();
  }
}

/** Of one that speaks another format. */
export function translateWithImages(context: RenderContext, createDecoder: () => StreamDecoder): OpenWords {
  return (take, countLeft) => {
    const decoder = createDecoder();
    const wordsOf = (parts: readonly StreamPart[]): readonly StreamPart[] => {
      const made = parts.flatMap((part) => (part.type === 'picture' ? [part.picture] : []));
      if (made.length === 0) return parts;
      take(made.slice(0, countLeft()), 0);
      return parts.filter(({ type }) => type !== 'picture');
    };
    const words = { push: (chunk: Buffer) => wordsOf(decoder.push(chunk)), end: () => wordsOf(decoder.end()) };
    return new TranslatingPipe(words, createChatRenderer(context));
  };
}

export class ChatImagePipe implements StreamPipe {
  readonly #words: StreamPipe;
  readonly #context: RenderContext;
  readonly #keeper: ImageKeeper;
  /** By the choice that they belong to. */
  readonly #made = new Map<number, MadeImage[]>();
  readonly #shown = new Map<number, readonly ShownImage[]>();
  #imagesLeft: number;

  constructor(context: RenderContext, keeper: ImageKeeper, open: OpenWords) {
    this.#context = context;
    this.#keeper = keeper;
    this.#imagesLeft = context.request.unitsMax.images ?? 0;
    const take = (made: readonly MadeImage[], choice: number): void => {
      this.#imagesLeft -= made.length;
      if (made.length > 0) this.#made.set(choice, [...(this.#made.get(choice) ?? []), ...made]);
    };
    this.#words = open(take, () => this.#imagesLeft);
  }

  push(chunk: Buffer): StreamOutput {
    return this.#words.push(chunk);
  }

  end(): StreamOutput {
    return this.#words.end();
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
    const finish = this.#words.finale(usage, costUsd);
    if (!request.needs.imageOutput) return chunk + finish;
    const events = usageEvent({ usage, costUsd }, elapsedMs?.() ?? 0) + DONE_EVENT;
    const untilDone = finish.slice(0, -CHAT_DONE_FRAME.length);
    return imageEvents([...this.#shown.values()].flat()) + chunk + untilDone + events + CHAT_DONE_FRAME;
  }

  failure(error: ApiError): string {
    return this.#words.failure(error);
  }

  get usage(): Usage | null {
    const { usage } = this.#words;
    const count = [...this.#shown.values()].flat().length;
    return count === 0 ? usage : withImages(usage, count);
  }

  get keepAliveFrame(): string {
    return this.#words.keepAliveFrame;
  }

  get isDone(): boolean {
    return this.#words.isDone;
  }

  get hasFinished(): boolean {
    return this.#words.hasFinished;
  }

  get finishReason(): string | null {
    return this.#words.finishReason;
  }

  get hasUsage(): boolean {
    return this.#words.hasUsage;
  }

  get fault(): StreamFault | null {
    return this.#words.fault;
  }

  get frameCount(): number {
    return this.#words.frameCount;
  }

  get contentBytes(): number {
    return this.#words.contentBytes;
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
