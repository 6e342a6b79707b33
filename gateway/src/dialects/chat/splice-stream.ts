// Passes a chat stream through and changes only what must change: `id` and `model` become ours, `provider` and the
// upstream's `usage` are removed, and every chunk that finishes is held back until the call has been paid. Text is
// handled as latin1, one character per byte, so that splitting a multi-byte character over two reads cannot damage it.

import { isJsonObject, isSet, type JsonObject, listOrEmpty, objectOrEmpty } from '../../canonical/json.ts';
import { saysSomething } from '../../canonical/says-something.ts';
import type { StreamFault } from '../../canonical/stream-part.ts';
import { listsFinds, statedUsage, type Usage, withSearchTrace, withStatedExtras } from '../../canonical/usage.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { WholeEvents } from '../../platform/whole-events.ts';
import { keepUsageMembers } from '../keep-usage-members.ts';
import { parseEventData, readEvent } from '../sent-event.ts';
import type { RenderContext, StreamPipe } from '../stream-pipe.ts';
import { UNTIDY_MEMBER, withoutBlanks } from './blank-members.ts';
import type { ImageIntake } from './chat-images.ts';
import { hasCalls, hasOwnMembers, withCalls } from './chunk-members.ts';
import { readCustomNames, SameCallDeltas } from './custom-calls.ts';
import { textBytes } from './delta-text.ts';
import { type FrameTemplate, learnTemplate } from './frame-template.ts';
import { CHAT_DONE_FRAME, CHAT_KEEP_ALIVE_FRAME, chatErrorFrame, chunkFrame } from './frames.ts';
import { HELD_BYTES_MAX, HeldChunks, writeChunks } from './held-chunks.ts';
import { mapFinishReason } from './map-finish-reason.ts';
import { withPlainContent } from './plain-content.ts';
import { choiceErrorOf, isUnixSeconds, renderChoiceError } from './render-response.ts';
import { renderChatUsage } from './render-usage.ts';
import { StreamChoices } from './stream-choices.ts';
import { completeCalls, TidyCallDeltas } from './tidy-calls.ts';
import { describeErrorEnd, describeUpstreamError, hasEnded, takeError } from './upstream-error.ts';

const FRAME_BYTES_MAX = 1024 * 1024;
/** An upstream that goes on without saying anything must not fill the memory. */
const OPENING_LENGTH_MAX = 256 * 1024;
const TOO_MUCH_HELD: StreamFault = { kind: 'oversize', detail: 'too much is held', status: null };
/** A stream whose frames keep changing their envelope is cheaper to parse than to learn again and again. */
const LEARN_ATTEMPTS_MAX = 16;
const CALLS_KEY = '"tool_calls"';
/** In the frame that begins a call, or one of an upstream that repeats itself. */
const NAME_KEY = '"name"';
/** Unescaped it is always a key with at least one call. */
const TOOL_CALLS = /"tool_calls":\s*\[\s*\{/;
/** Unescaped it is always a source among the annotations; the word alone is quicker to look for. */
const SOURCE = /"type":\s*"url_citation"/;
const SOURCE_WORD = 'url_citation';

export class ChatStreamSplicer implements StreamPipe {
  readonly #id: string;
  readonly #modelId: string;
  readonly #hidesReasoning: boolean;
  readonly #events: WholeEvents;
  /** What came before anything was said: an upstream that then says nothing has failed, and another may be asked. */
  #opening: string | null = '';
  #template: FrameTemplate | null = null;
  #learnAttempts = 0;
  #createdSeconds: number;
  readonly #choices: StreamChoices;
  readonly #held = new HeldChunks();
  readonly #readUsage: (value: unknown) => Usage | null;
  readonly #mayCallTools: boolean;
  readonly #images: ImageIntake | null;
  readonly #customNames: ReadonlySet<unknown>;
  /** Null where the caller has no tools that take plain text. */
  readonly #customCalls: SameCallDeltas | null;
  readonly #callingChoices = new Set<number>();
  readonly #calls = new Map<number, TidyCallDeltas>();
  readonly #choicesToRead = new Set<number>();
  #hasToolCalls = false;
  #hasContent = false;
  /** Also where the client is not shown it: the provider has worked. A picture is shown only at the end. */
  #hasSpoken = false;
  #hasDrawn = false;
  #isSearchTraced = false;
  #isCut = false;
  /** The last usage object the upstream sent, untouched and untrusted. */
  #rawUsage: unknown = null;
  /** The chunk that had the usage, which says more. */
  #usageFrame: JsonObject | null = null;

  readonly keepAliveFrame = CHAT_KEEP_ALIVE_FRAME;
  frameCount = 0;
  contentBytes = 0;
  isDone = false;
  finishReason: string | null = null;
  fault: StreamFault | null = null;
  /** The answer has ended with an error; only what it used is waited for. */
  #failure: StreamFault | null = null;

  constructor(context: RenderContext, readUsage: (value: unknown) => Usage | null, images: ImageIntake | null = null) {
    this.#id = context.id;
    this.#modelId = context.modelId;
    this.#createdSeconds = context.createdSeconds;
    this.#hidesReasoning = context.request.hidesReasoning;
    this.#mayCallTools = context.request.needs.tools;
    this.#choices = new StreamChoices(context.request.choiceCount);
    this.#readUsage = readUsage;
    this.#images = images;
    this.#customNames = readCustomNames(context.request.body);
    this.#customCalls = this.#customNames.size === 0 ? null : new SameCallDeltas(this.#customNames);
    this.#events = new WholeEvents(images?.frameBytesMax ?? FRAME_BYTES_MAX);
  }

  /** Takes what one read brought and returns what may go to the client now, as latin1 text. */
  push(chunk: Buffer): string {
    if (this.isDone || this.fault !== null) return '';
    const output = this.#pass(this.#events.push(chunk));
    if (this.#events.isOversize) this.fault ??= { kind: 'oversize', detail: 'a frame is over its limit', status: null };
    return output;
  }

  end(): string {
    if (this.isDone || this.fault !== null) return '';
    const output = this.#pass(this.#events.end());
    this.fault ??= this.#failure;
    this.isDone ||= this.#choices.haveEnded && this.hasUsage;
    return output;
  }

  /** Whole frames only. */
  #pass(text: string): string {
    if (this.#mayCallTools && !this.#choices.areSeveral && !this.#hasToolCalls)
      this.#hasToolCalls = TOOL_CALLS.test(text);
    // Sources may come in frames that are not parsed, and the search behind them is charged.
    if (text.includes(SOURCE_WORD)) this.#isSearchTraced ||= SOURCE.test(text);
    const mayCall = (this.#mayCallTools || this.#customCalls !== null) && text.includes(CALLS_KEY);
    let position = 0;
    let output = '';
    let template = this.#template;
    while (true) {
      const end = text.indexOf('\n\n', position);
      if (end === -1) return output;
      const delta = template?.deltaIn(text, position, end) ?? null;
      if (template !== null && delta !== null && !this.#mustRead(delta, mayCall)) {
        output += template.prefixOut + delta + template.suffixOut;
        this.frameCount += 1;
        this.contentBytes += Math.max(0, delta.length - template.deltaOverheadBytes);
      } else {
        output += this.#unlessOpening(this.#frame(text.slice(position, end)));
        if (this.isDone || this.fault !== null) return output;
        template = this.#template;
      }
      position = end + 2;
    }
  }

  /** The rest of a call that began as it should is passed on unread, unless it stands for a tool of plain text. */
  #mustRead(delta: string, mayCall: boolean): boolean {
    if (UNTIDY_MEMBER.test(delta)) return true;
    if (!mayCall || !delta.includes(CALLS_KEY)) return false;
    return this.#customCalls !== null || this.#choicesToRead.size > 0 || delta.includes(NAME_KEY);
  }

  #unlessOpening(output: string): string {
    if (this.#opening === null) return output;
    const opening = this.#opening + output;
    const isOver = this.#hasContent || opening.length > OPENING_LENGTH_MAX;
    this.#opening = isOver ? null : opening;
    return isOver ? opening : '';
  }

  get keptBytes(): number {
    return this.#events.keptBytes + this.#held.bytes + (this.#customCalls?.keptLength ?? 0);
  }

  get hasFinished(): boolean {
    return this.#choices.areComplete;
  }

  get hasSpoken(): boolean {
    return this.#hasSpoken || this.#hasDrawn;
  }

  get hasUsage(): boolean {
    return this.#rawUsage !== null;
  }

  get usage(): Usage | null {
    return withStatedExtras(withSearchTrace(this.#readUsage(this.#rawUsage), this.#isSearchTraced), this.#usageFrame);
  }

  failure(error: ApiError): string {
    return chatErrorFrame(error) + CHAT_DONE_FRAME;
  }

  cut(): void {
    this.#isCut = true;
    this.isDone = true;
    this.finishReason = 'length';
  }

  /** The chunks that were held back, the last of them with the usage, and the end marker. */
  finale(usage: Usage, costUsd: number): string {
    const unended = this.#choices.unended();
    const chunks = this.#held.with(unended.length === 0 ? null : this.#syntheticFinish(unended));
    // Only calls that were offered are read to their end.
    if (this.#mayCallTools) completeCalls(chunks, this.#calls, this.#customNames);
    const output = writeChunks(chunks, keepUsageMembers(renderChatUsage(usage, costUsd), this.#rawUsage));
    return (this.#opening ?? '') + output + CHAT_DONE_FRAME;
  }

  #syntheticFinish(unended: readonly number[]): JsonObject {
    const choices = unended.map((index) => {
      const isCalling = this.#hasToolCalls || this.#callingChoices.has(index);
      const delta = withCalls({}, this.#customCalls?.end(index) ?? []);
      return { index, delta, finish_reason: this.#isCut ? 'length' : isCalling ? 'tool_calls' : 'stop' };
    });
    const object = 'chat.completion.chunk';
    return { id: this.#id, object, created: this.#createdSeconds, model: this.#modelId, choices };
  }

  #frame(text: string): string {
    const data = readEvent(text)?.data;
    if (data === undefined) return '';
    if (data === '[DONE]') return this.#end();
    const json = parseEventData(data);
    if (json !== null) return this.#object(json, text);
    if (data.includes('\n')) return this.#lines(data);
    this.fault = { kind: 'malformed', detail: 'a frame is not a JSON object', status: null };
    return '';
  }

  /** Frames that are separated by a single line break, as some upstreams send the last ones. */
  #lines(data: string): string {
    let output = '';
    for (const line of data.split('\n')) {
      if (line.trim() !== '' && !this.isDone && this.fault === null) output += this.#frame(`data: ${line}`);
    }
    return output;
  }

  /** An upstream that ends without a finish or usage has broken off. */
  #end(): '' {
    if (this.#failure === null && (!this.#held.isEmpty || this.hasUsage)) this.isDone = true;
    else this.fault = this.#failure ?? { kind: 'malformed', detail: 'the stream ended without a finish', status: null };
    return '';
  }

  #object(json: JsonObject, text: string): string {
    const choices = Array.isArray(json.choices) ? json.choices.filter(isJsonObject) : [];
    const usage = statedUsage(json, choices[0]);
    if (usage !== null && usage !== undefined) {
      this.#rawUsage = usage;
      this.#usageFrame = json;
    }
    this.#isSearchTraced ||= listsFinds(json);
    if (this.#failure !== null) return this.#failWhenCounted();
    const error = takeError(json, choices);
    if (error !== undefined && !choices.some(hasEnded)) this.fault = describeUpstreamError(error);
    if (this.fault !== null || (choices.length === 0 && !hasOwnMembers(json))) return '';
    try {
      const output = this.#rewrite(json, choices, text);
      // An end without a word before it is no answer, as in a whole one.
      if (error !== undefined && !this.hasSpoken) this.fault ??= describeUpstreamError(error);
      return output;
    } catch (thrown) {
      // Very deep text can be parsed but not written again.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.fault = { kind: 'malformed', detail: 'a frame is nested too deeply', status: null };
      return '';
    }
  }

  #rewrite(json: JsonObject, choices: JsonObject[], text: string): string {
    json.id = this.#id;
    json.model = this.#modelId;
    json.object = 'chat.completion.chunk';
    delete json.provider;
    // Also where it is null: we asked for usage, the client may not have, and some clients refuse a null.
    delete json.usage;
    // A chunk that only reports what a filter found in the prompt has no time.
    if (isUnixSeconds(json.created)) this.#createdSeconds = json.created;
    else json.created = this.#createdSeconds;
    // Some clients take a text or nothing here.
    if (json.system_fingerprint === null) delete json.system_fingerprint;
    json.choices = choices;
    this.frameCount += 1;
    let isFinishing = false;
    let isSilent = this.#customCalls !== null && choices.length > 0;
    const hasCall = choices.some(({ delta }) => hasCalls(delta));
    const isCalling = this.#customCalls !== null && hasCall;
    for (const [position, choice] of choices.entries()) {
      this.contentBytes += textBytes(choice.delta);
      this.#normaliseChoice(choice, position);
      this.#hasContent ||= saysSomething(choice.delta as JsonObject);
      if (choice.finish_reason === 'error') {
        // The choices behind it have not been looked at.
        json.choices = choices.slice(0, position + 1);
        return this.#endWithError(json, choice);
      }
      if (choice.finish_reason !== null) {
        isFinishing = true;
        this.#choices.end(choice.index as number);
        this.finishReason = String(choice.finish_reason);
      }
      isSilent = this.#renderCalls(choice) && isSilent;
    }
    if (isFinishing) {
      this.#hold(json);
      return '';
    }
    if (isSilent) return '';
    const isParsedAnyway =
      this.#hidesReasoning || this.#images !== null || (this.#choices.areSeveral && this.#mayCallTools) || isCalling;
    const isKnown = hasCall && this.#template !== null;
    const mayLearn = this.#hasContent && !isParsedAnyway && !isKnown && this.#learnAttempts < LEARN_ATTEMPTS_MAX;
    if (choices.length === 1 && mayLearn) {
      this.#learnAttempts += 1;
      this.#template = learnTemplate(text, json);
    }
    return chunkFrame(json);
  }

  /** Calls of functions that stand for tools of plain text; true where nothing of the delta is left to say now. */
  #renderCalls(choice: JsonObject): boolean {
    if (this.#customCalls === null) return false;
    const delta = choice.delta as JsonObject;
    const index = choice.index as number;
    const isCalling = hasCalls(delta);
    const calls = isCalling ? this.#customCalls.render(listOrEmpty(delta.tool_calls), index) : [];
    const ended = choice.finish_reason === null ? [] : this.#customCalls.end(index);
    if (isCalling || ended.length > 0) choice.delta = withCalls(delta, [...calls, ...ended]);
    if (this.#customCalls.keptLength > HELD_BYTES_MAX) this.fault = TOO_MUCH_HELD;
    return isCalling && !saysSomething(choice.delta as JsonObject);
  }

  #hold(json: JsonObject): void {
    this.#held.add(json);
    if (this.#held.bytes > HELD_BYTES_MAX) this.fault = TOO_MUCH_HELD;
  }

  #normaliseChoice(choice: JsonObject, position: number): void {
    if (!Number.isSafeInteger(choice.index)) choice.index = position;
    let delta = withoutBlanks(withPlainContent(objectOrEmpty(choice.delta)));
    const index = choice.index as number;
    if (this.#choices.begin(index) && delta.role === undefined) delta = { role: 'assistant', ...delta };
    if (this.#images !== null && delta.images !== undefined) {
      this.#hasDrawn ||= saysSomething({ images: delta.images });
      this.#images.take(delta.images, index);
      delete delta.images;
    }
    this.#hasSpoken ||= saysSomething(delta);
    if (this.#hidesReasoning) {
      for (const key of ['reasoning', 'reasoning_content', 'reasoning_details']) delete delta[key];
    }
    if (hasCalls(delta)) delta = { ...delta, tool_calls: this.#tidyCalls(listOrEmpty(delta.tool_calls), index) };
    choice.delta = delta;
    if (isSet(choice.error)) choice.error = choiceErrorOf(choice);
    mapFinishReason(choice);
    if (this.#choices.areSeveral && hasCalls(delta)) this.#callingChoices.add(index);
    // Some upstreams report an ordinary end when a forced tool call was the whole answer.
    if ((this.#hasToolCalls || this.#callingChoices.has(index)) && choice.finish_reason === 'stop') {
      choice.native_finish_reason ??= 'stop';
      choice.finish_reason = 'tool_calls';
    }
  }

  #tidyCalls(calls: readonly unknown[], choice: number): readonly unknown[] {
    const deltas = this.#calls.get(choice) ?? new TidyCallDeltas(`${this.#id}${choice === 0 ? '' : `c${choice}`}`);
    this.#calls.set(choice, deltas);
    const tidied = deltas.tidy(calls);
    if (deltas.mustRead) this.#choicesToRead.add(choice);
    else this.#choicesToRead.delete(choice);
    return tidied;
  }

  /** SDKs take a chunk that finishes with `error` for a normal end, so the error frame follows, once usage is known. */
  #endWithError(json: JsonObject, choice: JsonObject): string {
    const fault = describeErrorEnd(choice);
    this.finishReason = 'error';
    if (this.#opening !== null && !this.#hasSpoken) {
      // Nothing has been said, so another provider can still answer, as after a whole answer that has only failed.
      this.fault = fault;
      return '';
    }
    choice.error ??= renderChoiceError(null);
    const output = (this.#opening ?? '') + chunkFrame(json);
    this.#opening = null;
    this.#template = null;
    if (this.#choices.areSeveral) {
      // While the usage was waited for, the others would go on, and nobody would get or cover what they cost.
      this.fault = fault;
      return output;
    }
    this.#failure = { ...fault, isEnd: true };
    return output + this.#failWhenCounted();
  }

  #failWhenCounted(): string {
    if (this.#rawUsage !== null) this.fault = this.#failure;
    return '';
  }
}
