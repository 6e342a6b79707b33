// Streams whose text is reviewed on its way. Where a window can decide, text follows as soon as it may; where only the
// whole answer can be judged, all of it waits while keep-alive frames are sent. Such a stream is always translated,
// even within one format, because what is reviewed must be what is sent.

import type { OutputReview, OutputWindow, ReviewedTexts } from '../canonical/answer.ts';
import type { ReplacePart } from '../canonical/passage.ts';
import type { StreamDecoder, StreamPart } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { ApiError } from '../errors/api-error.ts';
import { mapBlock, mapCitation } from './map-answer.ts';
import { PipeAround } from './pipe-around.ts';
import type { StreamPipe, StreamRenderer } from './stream-pipe.ts';
import { TranslatingPipe, writtenLength } from './translating-pipe.ts';

export function openGuardedPipe(decoder: StreamDecoder, renderer: StreamRenderer, review: OutputReview): StreamPipe {
  const { openWindow } = review;
  if (openWindow === null) return new HoldingPipe(decoder, renderer, review);
  return new TranslatingPipe(new WindowedDecoder(decoder, openWindow), renderer);
}

/** The same for code that makes a pipe of the decoder by other means. */
export const reviewed = (decoder: StreamDecoder, review: OutputReview | null): StreamDecoder =>
  review === null || review.openWindow === null ? decoder : new WindowedDecoder(decoder, review.openWindow);

type TextPart = Extract<StreamPart, { text: string }>;

/** The text that a part belongs to: there is one text and one reasoning at a time, and tool inputs have an index. */
const placeOf = (part: StreamPart): string =>
  part.type.startsWith('tool-input') && 'index' in part ? `tool ${part.index}` : (part.type.split('-')[0] ?? '');

class WindowedDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #openWindow: () => OutputWindow;
  /** Windows that still hold text back, each with a part to send it in. */
  readonly #open = new Map<string, Readonly<{ window: OutputWindow; like: TextPart }>>();
  #isBlocked = false;

  constructor(decoder: StreamDecoder, openWindow: () => OutputWindow) {
    this.#decoder = decoder;
    this.#openWindow = openWindow;
  }

  get keptBytes(): number {
    return this.#decoder.keptBytes;
  }

  push(chunk: Buffer): readonly StreamPart[] {
    return this.#review(this.#decoder.push(chunk));
  }

  end(): readonly StreamPart[] {
    return this.#review(this.#decoder.end());
  }

  #review(parts: readonly StreamPart[]): readonly StreamPart[] {
    const passed: StreamPart[] = [];
    for (const part of parts) {
      if (this.#isBlocked) break;
      // Log probabilities repeat the text as it was.
      if (part.type === 'logprobs') continue;
      if ('text' in part) this.#take(part, passed);
      else {
        this.#closeBefore(part, passed);
        const judged = this.#judgeWhole(part, passed);
        if (!this.#isBlocked) passed.push(judged);
      }
    }
    return passed;
  }

  #take(part: TextPart, passed: StreamPart[]): void {
    const place = placeOf(part);
    const known = this.#open.get(place);
    const window = known?.window ?? this.#openWindow();
    this.#open.set(place, { window, like: part });
    this.#say(part, pushAll(window, part.text), window, passed);
  }

  /** The end of a block releases the rest; so does the finish of the answer. */
  #closeBefore(part: StreamPart, passed: StreamPart[]): void {
    const isLast = part.type === 'finish' || part.type === 'done' || part.type === 'usage';
    for (const [place, { window, like }] of this.#open) {
      if (!isLast && !(part.type.endsWith('-end') && placeOf(part) === place)) continue;
      this.#open.delete(place);
      this.#say(like, window.end(), window, passed);
      if (this.#isBlocked) return;
    }
  }

  /** Texts that come in one piece, and that no others belong to. */
  #judgeWhole(part: StreamPart, passed: StreamPart[]): StreamPart {
    return mapWhole(part, (text) => {
      if (this.#isBlocked) return '';
      const window = this.#openWindow();
      const shown = pushAll(window, text) + window.end();
      if (window.refusal !== null) this.#block(window.refusal, passed);
      return shown;
    });
  }

  #say(like: TextPart, text: string, window: OutputWindow, passed: StreamPart[]): void {
    if (text !== '') passed.push({ ...like, text });
    if (window.refusal !== null) this.#block(window.refusal, passed);
  }

  #block(refusal: string, passed: StreamPart[]): void {
    this.#isBlocked = true;
    passed.push({ type: 'error', fault: { kind: 'blocked', detail: refusal, status: null } });
  }
}

/** Longer texts are read in turns with others, for which a stream cannot wait. */
const PUSHED_LENGTH_MAX = 1_024;

function pushAll(window: OutputWindow, text: string): string {
  let shown = '';
  for (let start = 0; start < text.length; start += PUSHED_LENGTH_MAX)
    shown += window.push(text.slice(start, start + PUSHED_LENGTH_MAX));
  return shown;
}

/** The same part where nothing changes; of most kinds there is nothing to read. */
function mapWhole(part: StreamPart, replace: ReplacePart): StreamPart {
  if (part.type === 'citation') return { ...part, citation: mapCitation(part.citation, replace) };
  return part.type === 'block' ? { ...part, block: mapBlock(part.block, replace) } : part;
}

/** What a part takes in memory besides its text. */
const PART_BYTES = 100;
const WHOLE: ReadonlySet<StreamPart['type']> = new Set(['block', 'citation', 'tool-input-start']);

class HoldingPipe extends PipeAround<TranslatingPipe> {
  protected readonly inner: TranslatingPipe;
  readonly #held: StreamPart[] = [];
  readonly #review: OutputReview;
  #shown = '';
  frameCount = 0;
  contentBytes = 0;
  /** Of parts that come in one piece. */
  #wholeBytes = 0;

  constructor(decoder: StreamDecoder, renderer: StreamRenderer, review: OutputReview) {
    super();
    const hold = (parts: readonly StreamPart[]): readonly StreamPart[] => parts.filter((part) => !this.#hold(part));
    const held: StreamDecoder = {
      get keptBytes() {
        return decoder.keptBytes;
      },
      push: (chunk) => hold(decoder.push(chunk)),
      end: () => hold(decoder.end()),
    };
    this.inner = new TranslatingPipe(held, renderer);
    this.#review = review;
  }

  #hold(part: StreamPart): boolean {
    if (part.type === 'usage' || part.type === 'finish' || part.type === 'error' || part.type === 'done') return false;
    // What cannot be judged is not shown.
    if (part.type !== 'picture' && part.type !== 'logprobs') this.#held.push(part);
    const length = writtenLength(part);
    if (length !== null) {
      this.frameCount += 1;
      this.contentBytes += length;
    }
    if (WHOLE.has(part.type)) this.#wholeBytes += JSON.stringify(part).length;
    return true;
  }

  override get keptBytes(): number {
    return super.keptBytes + this.contentBytes + this.#wholeBytes + this.#held.length * PART_BYTES;
  }

  async complete(): Promise<ApiError | null> {
    const { texts, places } = textsOf(this.#held);
    const judged: ReviewedTexts = await this.#review.whole(texts);
    if (judged.refusal !== null) {
      return new ApiError('content_filter', `${judged.refusal} Nothing had been sent before.`);
    }
    const parts = this.#held.flatMap((part): readonly StreamPart[] => {
      let place = places.get(part);
      const next = (): string => {
        const text = place === undefined ? '' : (judged.texts[place] ?? '');
        if (place !== undefined) place += 1;
        return text;
      };
      if (!('text' in part)) return [mapWhole(part, next)];
      // The first piece of a block has all of its text.
      const text = next();
      return text === '' ? [] : [{ ...part, text }];
    });
    this.#shown = this.inner.show(parts);
    return null;
  }

  finale(usage: Usage, costUsd: number): string {
    return this.#shown + this.inner.finale(usage, costUsd);
  }
}

/** The texts that belong together, and for each part that begins one, or has some by itself, the place of the first. */
function textsOf(
  parts: readonly StreamPart[],
): Readonly<{ texts: readonly string[]; places: ReadonlyMap<StreamPart, number> }> {
  const texts: string[] = [];
  const places = new Map<StreamPart, number>();
  const open = new Map<string, number>();
  for (const part of parts) {
    const of = placeOf(part);
    const known = open.get(of);
    if (!('text' in part)) {
      if (part.type.endsWith('-end')) open.delete(of);
      places.set(part, texts.length);
      mapWhole(part, (text) => {
        texts.push(text);
        return text;
      });
    } else if (known !== undefined) texts[known] += part.text;
    else {
      places.set(part, texts.length);
      open.set(of, texts.length);
      texts.push(part.text);
    }
  }
  return { texts, places };
}
