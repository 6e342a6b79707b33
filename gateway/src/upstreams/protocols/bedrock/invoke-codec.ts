// Sends bodies of Anthropic's Messages format to Anthropic's models as they are, so that nothing is lost except tools
// that do not exist here. In a stream each event is packed into a binary message; unpacked, it is the usual event
// stream of the format.

import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import { type ConversationCodec, conversationCodec } from '../../conversation-codec.ts';
import { type EventMessage, EventStreamFrames } from '../../event-stream-frames.ts';
import type { Reframer, TextCall } from '../../protocol.ts';
import { messagesCodecParts } from '../anthropic/anthropic-protocol.ts';
import { encodeMessagesJson } from '../anthropic/encode-request.ts';
import { knownFlags } from '../anthropic/known-flags.ts';
import { decodeError } from './decode-error.ts';
import { EVENT_STREAM_TYPE } from './encode-request.ts';
import { statusOfException } from './exceptions.ts';
import { UsageGaps } from './fill-usage.ts';
import { modelPath } from './model-path.ts';

/** The version of the Messages format that Bedrock speaks. */
const ANTHROPIC_VERSION = 'bedrock-2023-05-31';
const BETAS: ReadonlySet<string> = new Set([
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'token-efficient-tools-2025-02-19',
  'output-128k-2025-02-19',
  'dev-full-thinking-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'fine-grained-tool-streaming-2025-05-14',
  'context-management-2025-06-27',
  'context-1m-2025-08-07',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
  'effort-2025-11-24',
  'compact-2026-01-12',
]);
const NO_BYTES = Buffer.alloc(0);

export const invokeCodec: ConversationCodec = {
  ...conversationCodec({ ...messagesCodecParts, encode: encodeInvoke, decodeError }),
  createReframer: () => new InvokeReframer(),
  embedsPictures: true,
  lacksHostedTools: true,
};

/** The path names the model and whether to stream; the body must not repeat them. */
function encodeInvoke(request: ConversationRequest, candidate: Candidate, headers: readonly string[] = []): TextCall {
  const {
    model: _model,
    stream: _stream,
    ...body
  }: JsonObject = withoutHostedTools(encodeMessagesJson(request, candidate));
  const verb = request.isStream ? 'invoke-with-response-stream' : 'invoke';
  return {
    path: `${modelPath(candidate)}/${verb}`,
    body: stringifyExactJson({ ...body, anthropic_version: ANTHROPIC_VERSION, ...betasOf(headers, body) }),
    ...(request.isStream ? { accept: EVENT_STREAM_TYPE } : {}),
  };
}

/** Tools that Anthropic's own servers run. Bedrock does not know their types, and refuses the whole call for one. */
const HOSTED = /^(?:web_search|web_fetch|code_execution|advisor)_\d/;

function withoutHostedTools(body: JsonObject): JsonObject {
  const { tools: offered, tool_choice: choice, ...rest } = body;
  const tools = listOrEmpty(offered);
  const kept = tools.filter((tool) => !isHosted(tool));
  if (kept.length === tools.length) return body;
  const isForced = isJsonObject(choice) && tools.some((tool) => isHosted(tool) && tool.name === choice.name);
  // Offered tools may go unused, but an answer without this one would be none.
  if (isForced) throw new ApiError('unsupported_param', `The provider of this model has no tool ${choice.name}.`);
  return kept.length === 0 ? rest : { ...rest, tools: kept, tool_choice: choice };
}

const isHosted = (tool: unknown): tool is JsonObject =>
  isJsonObject(tool) && typeof tool.type === 'string' && HOSTED.test(tool.type);

/** Bedrock does not read the header. */
function betasOf(headers: readonly string[], body: JsonObject): JsonObject {
  const known = knownFlags(headers, body, BETAS);
  return known.length === 0 ? {} : { anthropic_beta: known };
}

type Held = Readonly<{ event: JsonObject; text: string }>;

class InvokeReframer implements Reframer {
  readonly #frames = new EventStreamFrames();
  readonly #gaps = new UsageGaps();
  /**
   * The event with the final counts waits for the last one where that may have more of them; only pings overtake it. It
   * waits no longer than it must, because it is lost with its connection, and the answer with it.
   */
  #held: Held | null = null;
  #isOver = false;

  get keptBytes(): number {
    return this.#frames.keptBytes + (this.#held?.text.length ?? 0);
  }

  push(chunk: Buffer): Buffer {
    if (this.#isOver) return NO_BYTES;
    const events = this.#frames.push(chunk).map((message) => this.#eventOf(message));
    if (this.#frames.fault !== null && !this.#isOver) events.push(this.#broken('a message with a fault'));
    return Buffer.from(events.join(''), 'utf8');
  }

  end(): Buffer {
    const isCut = this.#frames.isCut && !this.#isOver;
    return Buffer.from(isCut ? this.#broken('the stream ended amid a message') : this.#takeHeld(null), 'utf8');
  }

  release(): Buffer {
    return Buffer.from(this.#takeHeld(null), 'utf8');
  }

  #eventOf({ headers, payload }: EventMessage): string {
    if (this.#isOver) return '';
    const json = readJsonObject(payload);
    if (headers[':message-type'] !== 'event') {
      const name = headers[':exception-type'] ?? headers[':error-code'] ?? 'unnamed';
      this.#isOver = true;
      return this.#takeHeld(null) + eventText({ type: 'error', error: { type: errorTypeOf(name), message: name } });
    }
    if (headers[':event-type'] !== 'chunk') return '';
    const packed = typeof json?.bytes === 'string' ? Buffer.from(json.bytes, 'base64').toString('utf8') : '';
    const event = readJsonObject(packed);
    if (event === null) return this.#broken('a message that holds no event');
    const text = `event: ${String(event.type)}\ndata: ${packed.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
    if (event.type === 'ping') return text;
    const before = this.#takeHeld(event.type === 'message_stop' ? this.#gaps.missingIn(event) : null);
    this.#gaps.note(event);
    if (event.type !== 'message_delta' || this.#gaps.hasNone) return before + text;
    this.#held = { event, text };
    return before;
  }

  #takeHeld(counts: JsonObject | null): string {
    const { event, text } = this.#held ?? { event: { type: 'message_delta', delta: {} }, text: '' };
    this.#held = null;
    return counts === null ? text : eventText({ ...event, usage: { ...objectOrEmpty(event.usage), ...counts } });
  }

  /** Text that no reader of the format takes for an event. */
  #broken(reason: string): string {
    this.#isOver = true;
    return `${this.#takeHeld(null)}data: ${reason}\n\n`;
  }
}

/** In the words of the Messages format, which the reader knows. */
function errorTypeOf(name: string): string {
  const status = statusOfException(name);
  if (status === 429) return 'rate_limit_error';
  return status === 503 ? 'overloaded_error' : 'api_error';
}

function eventText(event: JsonObject): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}
