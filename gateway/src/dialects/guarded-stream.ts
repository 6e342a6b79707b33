// Streams whose text is reviewed on its way. Where a window can decide, text follows as soon as it may; where only the
// whole answer can be judged, all of it waits while keep-alive frames are sent. Such a stream is always translated,
// even within one format, because what is reviewed must be what is sent.

import type { OutputReview, OutputWindow, ReviewedTexts } from '../canonical/answer.ts';
import type { ReplacePart } from '../canonical/passage.ts';
import { isSaid } from '../canonical/says-something.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { ApiError } from '../errors/api-error.ts';
import { assert } from '../platform/assert.ts';
import { AnswerTexts, type JoinedKind } from './answer-texts.ts';
import { mapBlock, mapCitation, mapName, mapOwn } from './map-answer.ts';
import { PipeAround } from './pipe-around.ts';
import { writable } from './readable-json.ts';
import type { StreamRenderer } from './stream-pipe.ts';
import { TranslatingPipe, writtenLength } from './translating-pipe.ts';

/** For code that makes a pipe of the decoder by other means than `GuardedPipe`, and can hold nothing back to the end. */
export const reviewed = (decoder: StreamDecoder, review: OutputReview | null): StreamDecoder =>
  review === null || review.openWindow === null ? decoder : new ReviewingDecoder(decoder, review.openWindow, null);

type TextPart = Extract<StreamPart, { text: string }>;

/** The text that a part belongs to: there is one text and one reasoning at a time, and tool inputs have an index. */
const placeOf = (part: StreamPart): string =>
  part.type.startsWith('tool-input') && 'index' in part ? `tool ${part.index}` : (part.type.split('-')[0] ?? '');

const isJoined = (place: string): place is JoinedKind => place === 'text' || place === 'reasoning';

const TOO_SLOW =
  'The content filters of your organization took too long for this answer, so the rest of it was withheld.';

class ReviewingDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #openWindow: (() => OutputWindow) | null;
  readonly #hold: ((part: StreamPart) => void) | null;
  /**
   * Each with a part to send in what it holds back. Text that follows other text is read with it, although something
   * may have come between them: most clients show them in one piece.
   */
  readonly #open = new Map<string, Readonly<{ window: OutputWindow; like: TextPart }>>();
  /** The end of what was sent of each text before the rest was held, by its place. */
  readonly sentBefore = new Map<string, string>();
  #isHolding: boolean;
  #isBlocked = false;

  /** `hold` gets the parts that only the whole answer can be judged with; without windows these are all. */
  constructor(
    decoder: StreamDecoder,
    openWindow: (() => OutputWindow) | null,
    hold: ((part: StreamPart) => void) | null,
  ) {
    this.#decoder = decoder;
    this.#openWindow = openWindow;
    this.#hold = hold;
    this.#isHolding = openWindow === null;
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
      if (!this.#isHolding) this.#judge(part, passed);
      else if (isOfTheEnd(part)) passed.push(part);
      else this.#hold?.(part);
    }
    return passed.map(writable);
  }

  #judge(part: StreamPart, passed: StreamPart[]): void {
    if ('text' in part) {
      this.#take(part, passed);
      return;
    }
    this.#closeBefore(part, passed);
    if (this.#isBlocked) return;
    const { judged, isSlow } = this.#judgeWhole(part, passed);
    if (this.#isBlocked) return;
    if (isSlow) this.#holdFrom(part, passed);
    else passed.push(judged);
  }

  #take(part: TextPart, passed: StreamPart[]): void {
    const place = placeOf(part);
    const window = this.#open.get(place)?.window ?? this.#openNext();
    this.#open.set(place, { window, like: part });
    const { shown, left } = pushAll(window, part.text);
    this.#say(part, shown, window, passed);
    if (!this.#isBlocked && window.isSlow) this.#holdFrom({ ...part, text: left }, passed);
  }

  #openNext(): OutputWindow {
    assert(this.#openWindow !== null, 'without windows all parts are held');
    return this.#openWindow();
  }

  /** From here on nothing is shown before the end. What the windows have kept back comes before this part. */
  #holdFrom(part: StreamPart, passed: StreamPart[]): void {
    if (this.#hold === null) {
      this.#block(TOO_SLOW, passed);
      return;
    }
    for (const [place, { window, like }] of this.#open) {
      const { sent, kept } = window.rest();
      if (sent !== '') this.sentBefore.set(place, sent);
      if (kept !== '') this.#hold({ ...like, text: kept });
    }
    this.#open.clear();
    this.#isHolding = true;
    this.#hold(part);
  }

  /** The end of a block releases the rest; so does the finish of the answer. */
  #closeBefore(part: StreamPart, passed: StreamPart[]): void {
    const isLast = part.type === 'finish' || part.type === 'done' || part.type === 'usage';
    for (const [place, { window, like }] of this.#open) {
      if (!isLast && !(part.type.endsWith('-end') && placeOf(part) === place)) continue;
      if (!isJoined(place)) this.#open.delete(place);
      this.#say(like, window.end(), window, passed);
      if (this.#isBlocked) return;
    }
  }

  /** Texts that come in one piece, and that no others belong to. */
  #judgeWhole(part: StreamPart, passed: StreamPart[]): Readonly<{ judged: StreamPart; isSlow: boolean }> {
    let isSlow = false;
    const judged = mapWhole(part, (text) => {
      if (this.#isBlocked || isSlow) return '';
      const window = this.#openNext();
      const { shown } = pushAll(window, text);
      isSlow = window.isSlow;
      if (isSlow) return '';
      const rest = window.end();
      if (window.refusal !== null) this.#block(window.refusal, passed);
      return shown + rest;
    });
    return { judged, isSlow };
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

/** Up to where the window is slow; what it did not get is left. */
function pushAll(window: OutputWindow, text: string): Readonly<{ shown: string; left: string }> {
  let shown = '';
  let place = 0;
  while (place < text.length && !window.isSlow) {
    shown += window.push(text.slice(place, place + PUSHED_LENGTH_MAX));
    place += PUSHED_LENGTH_MAX;
  }
  return { shown, left: text.slice(place) };
}

/** What ends an answer, or is not shown before its end: there is nothing to judge in it. */
const isOfTheEnd = ({ type }: StreamPart): boolean =>
  type === 'usage' || type === 'finish' || type === 'error' || type === 'done';

/** The same part where nothing changes; of most kinds there is nothing to read. */
function mapWhole(part: StreamPart, replace: ReplacePart): StreamPart {
  if (part.type === 'citation') return { ...part, citation: mapCitation(part.citation, replace) };
  if (part.type === 'tool-input-start') return mapName(part, replace);
  if (part.type === 'own') return { ...part, members: mapOwn(part.members, replace) };
  return part.type === 'block' ? { ...part, block: mapBlock(part.block, replace) } : part;
}

/** What a part takes in memory besides its text. */
const PART_BYTES = 100;
const WHOLE: ReadonlySet<StreamPart['type']> = new Set(['block', 'citation', 'own', 'tool-input-start']);

export class GuardedPipe extends PipeAround<TranslatingPipe> {
  protected readonly inner: TranslatingPipe;
  readonly #held: StreamPart[] = [];
  readonly #review: OutputReview;
  readonly #reviewing: ReviewingDecoder;
  #shown = '';
  #heldFrames = 0;
  #heldBytes = 0;
  /** Of parts that come in one piece. */
  #wholeBytes = 0;

  constructor(decoder: StreamDecoder, renderer: StreamRenderer, review: OutputReview) {
    super();
    this.#reviewing = new ReviewingDecoder(decoder, review.openWindow, (part) => this.#hold(part));
    this.inner = new TranslatingPipe(this.#reviewing, renderer);
    this.#review = review;
  }

  get frameCount(): number {
    return this.inner.frameCount + this.#heldFrames;
  }

  get contentBytes(): number {
    return this.inner.contentBytes + this.#heldBytes;
  }

  #hold(part: StreamPart): void {
    // What cannot be judged is not shown.
    if (part.type !== 'picture') this.#held.push(part);
    const length = writtenLength(part);
    if (length !== null) {
      this.#heldFrames += 1;
      this.#heldBytes += length;
    }
    if (WHOLE.has(part.type)) this.#wholeBytes += JSON.stringify(part).length;
  }

  override get hasSpoken(): boolean {
    return super.hasSpoken || this.#held.some(isSaid);
  }

  /** An end with an error is charged for what it ends, and what was held back has reached nobody. */
  override get fault(): StreamFault | null {
    const { fault, hasSpoken: hasShown } = this.inner;
    return fault?.isEnd === true && !hasShown ? { ...fault, isEnd: false } : fault;
  }

  override get keptBytes(): number {
    return super.keptBytes + this.#heldBytes + this.#wholeBytes + this.#held.length * PART_BYTES;
  }

  complete(): Promise<ApiError | null> | undefined {
    return this.#held.length === 0 ? undefined : this.#judgeHeld();
  }

  async #judgeHeld(): Promise<ApiError | null> {
    const { texts, places } = textsOf(this.#held, this.#reviewing.sentBefore);
    const judged: ReviewedTexts = await this.#review.whole(texts.texts);
    if (judged.refusal !== null) {
      const sentBytes = this.inner.contentBytes;
      const sent = sentBytes === 0 ? 'Nothing had' : `${sentBytes} characters had`;
      return new ApiError('content_filter', `${judged.refusal} ${sent} been sent before.`);
    }
    const left = texts.inPlace(judged.texts);
    const parts = this.#held.flatMap((part): readonly StreamPart[] => {
      let place = places.get(part);
      const next = (): string => {
        const text = place === undefined ? '' : (left[place] ?? '');
        if (place !== undefined) place += 1;
        return text;
      };
      if (!('text' in part)) return [mapWhole(part, next)];
      // The first piece of a block has all of its text.
      const text = next();
      return text === '' ? [] : [writable({ ...part, text })];
    });
    this.#shown = this.inner.show(parts);
    return null;
  }

  finale(usage: Usage, costUsd: number): string {
    return this.#shown + this.inner.finale(usage, costUsd);
  }
}

/** The texts, and for each part that begins a block, or has some by itself, the place of the first. */
function textsOf(
  parts: readonly StreamPart[],
  sentBefore: ReadonlyMap<string, string>,
): Readonly<{ texts: AnswerTexts; places: ReadonlyMap<StreamPart, number> }> {
  const texts = new AnswerTexts();
  const places = new Map<StreamPart, number>();
  const open = new Map<string, number>();
  const sent = new Map(sentBefore);
  for (const part of parts) {
    const of = placeOf(part);
    const known = open.get(of);
    if (!('text' in part)) {
      if (part.type.endsWith('-end')) open.delete(of);
      places.set(part, texts.count);
      mapWhole(part, (text) => {
        texts.add(text);
        return text;
      });
    } else if (known !== undefined) texts.extend(known, part.text);
    else {
      const place = texts.add(part.text, isJoined(of) ? of : null, sent.get(of));
      sent.delete(of);
      places.set(part, place);
      open.set(of, place);
    }
  }
  return { texts, places };
}
