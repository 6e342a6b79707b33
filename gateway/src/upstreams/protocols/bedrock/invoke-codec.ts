// Bodies of Anthropic's Messages format, asked of Anthropic's models as they are: nothing of them is lost. In a stream
// each event is packed into a message of the binary kind; unpacked, it is the event stream that the format has elsewhere.

import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { type ConversationCodec, conversationCodec } from '../../conversation-codec.ts';
import { type EventMessage, EventStreamFrames } from '../../event-stream-frames.ts';
import type { Reframer, TextCall } from '../../protocol.ts';
import { readJsonObject } from '../../read-json-object.ts';
import { messagesCodecParts } from '../anthropic/anthropic-protocol.ts';
import { encodeMessagesJson } from '../anthropic/encode-request.ts';
import { decodeError } from './decode-error.ts';
import { EVENT_STREAM_TYPE } from './encode-request.ts';
import { statusOfException } from './exceptions.ts';
import { modelPath } from './model-path.ts';

/** The version of the Messages format that this place speaks. */
const ANTHROPIC_VERSION = 'bedrock-2023-05-31';
const NO_BYTES = Buffer.alloc(0);

export const invokeCodec: ConversationCodec = {
  ...conversationCodec({ ...messagesCodecParts, encode: encodeInvoke, decodeError }),
  createReframer: () => new InvokeReframer(),
};

/** The model and the stream are in the path, and a second word on them in the body is refused. */
function encodeInvoke(request: ConversationRequest, candidate: Candidate): TextCall {
  const { model: _model, stream: _stream, ...body }: JsonObject = encodeMessagesJson(request, candidate);
  const verb = request.isStream ? 'invoke-with-response-stream' : 'invoke';
  return {
    path: `${modelPath(candidate)}/${verb}`,
    body: stringifyExactJson({ ...body, anthropic_version: ANTHROPIC_VERSION }),
    ...(request.isStream ? { accept: EVENT_STREAM_TYPE } : {}),
  };
}

class InvokeReframer implements Reframer {
  readonly #frames = new EventStreamFrames();
  #isOver = false;

  push(chunk: Buffer): Buffer {
    if (this.#isOver) return NO_BYTES;
    const events = this.#frames.push(chunk).map((message) => this.#eventOf(message));
    if (this.#frames.fault !== null && !this.#isOver) events.push(this.#broken('a message with a fault'));
    return Buffer.from(events.join(''), 'utf8');
  }

  end(): Buffer {
    const isCut = this.#frames.isCut && !this.#isOver;
    return isCut ? Buffer.from(this.#broken('the stream ended amid a message'), 'utf8') : NO_BYTES;
  }

  #eventOf({ headers, payload }: EventMessage): string {
    if (this.#isOver) return '';
    const json = readJsonObject(payload);
    if (headers[':message-type'] !== 'event') {
      const name = headers[':exception-type'] ?? headers[':error-code'] ?? 'unnamed';
      this.#isOver = true;
      return eventText({ type: 'error', error: { type: errorTypeOf(name), message: name } });
    }
    if (headers[':event-type'] !== 'chunk') return '';
    const packed = typeof json?.bytes === 'string' ? Buffer.from(json.bytes, 'base64').toString('utf8') : '';
    const event = readJsonObject(packed);
    if (event === null) return this.#broken('a message that holds no event');
    return `event: ${String(event.type)}\ndata: ${packed.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
  }

  /** What no reader of the format takes for an event. */
  #broken(reason: string): string {
    this.#isOver = true;
    return `data: ${reason}\n\n`;
  }
}

/** In the words of the format that the reader knows. */
function errorTypeOf(name: string): string {
  const status = statusOfException(name);
  if (status === 429) return 'rate_limit_error';
  return status === 503 ? 'overloaded_error' : 'api_error';
}

function eventText(event: JsonObject): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}
