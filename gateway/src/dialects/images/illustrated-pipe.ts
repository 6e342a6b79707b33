// A stream with pictures in it. Words are passed on as in any other; pictures are taken out, checked when everything
// has come, and shown after the call has been paid, in the dialect's own way.

import type { MadeImage, ShownImage } from '../../canonical/images.ts';
import type { StreamDecoder, StreamPart } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { PipeAround } from '../pipe-around.ts';
import type { StreamPipe } from '../stream-pipe.ts';
import { isUnusable, type Look, lookAt, noImages, type UnusableImages, withImages } from './receive-images.ts';

/** Takes pictures out of the words, with the choice that they belong to. */
export type TakePictures = (made: readonly MadeImage[], choice: number) => void;

/** By the choice that they belong to. */
export type ShownPictures = ReadonlyMap<number, readonly ShownImage[]>;

type Illustration<Words extends StreamPipe> = Readonly<{
  look: Look;
  countMax: number;
  /** An answer without pictures is an error. */
  isRequired: boolean;
  /** Opens the pipe that carries the words. */
  open(take: TakePictures, countLeft: () => number): Words;
  finale(words: Words, shown: ShownPictures, usage: Usage, costUsd: number): string;
}>;

/** For an upstream of another format, whose pictures are parts like any other. */
export function withoutPictures(decoder: StreamDecoder, take: TakePictures, countLeft: () => number): StreamDecoder {
  const wordsOf = (parts: readonly StreamPart[]): readonly StreamPart[] => {
    const made = parts.flatMap((part) => (part.type === 'picture' ? [part.picture] : []));
    if (made.length === 0) return parts;
    take(made.slice(0, countLeft()), 0);
    return parts.filter(({ type }) => type !== 'picture');
  };
  return {
    get keptBytes() {
      return decoder.keptBytes;
    },
    push: (chunk) => wordsOf(decoder.push(chunk)),
    end: () => wordsOf(decoder.end()),
  };
}

export class IllustratedPipe<Words extends StreamPipe> extends PipeAround<Words> {
  protected readonly inner: Words;
  readonly #illustration: Illustration<Words>;
  /** By the choice that they belong to. */
  readonly #made = new Map<number, MadeImage[]>();
  readonly #shown = new Map<number, readonly ShownImage[]>();
  #imagesLeft: number;
  #madeBytes = 0;

  constructor(illustration: Illustration<Words>) {
    super();
    this.#illustration = illustration;
    this.#imagesLeft = illustration.countMax;
    const take = (made: readonly MadeImage[], choice: number): void => {
      this.#imagesLeft -= made.length;
      for (const image of made) this.#madeBytes += image.kind === 'bytes' ? image.bytes.length : image.url.length;
      if (made.length > 0) this.#made.set(choice, [...(this.#made.get(choice) ?? []), ...made]);
    };
    this.inner = illustration.open(take, () => this.#imagesLeft);
  }

  async complete(): Promise<ApiError | null> {
    if (this.#made.size === 0) return this.#illustration.isRequired ? asError(noImages()) : null;
    let problem = noImages();
    for (const [choice, made] of this.#made) {
      const shown = await lookAt(made, this.#illustration.look);
      if (isUnusable(shown)) problem = shown;
      else this.#shown.set(choice, shown);
    }
    this.#made.clear();
    return this.#shown.size === 0 ? asError(problem) : null;
  }

  finale(usage: Usage, costUsd: number): string {
    return this.#illustration.finale(this.inner, this.#shown, usage, costUsd);
  }

  override get usage(): Usage | null {
    const { usage } = this.inner;
    const count = [...this.#shown.values()].flat().length;
    return count === 0 ? usage : withImages(usage, count);
  }

  override get hasSpoken(): boolean {
    return super.hasSpoken || this.#imagesLeft < this.#illustration.countMax;
  }

  override get keptBytes(): number {
    return super.keptBytes + this.#madeBytes;
  }

  get frameCount(): number {
    return this.inner.frameCount;
  }

  get contentBytes(): number {
    return this.inner.contentBytes;
  }
}

function asError({ code, publicMessage, detail }: UnusableImages): ApiError {
  return new ApiError(code, publicMessage, { detail });
}
