// Passes sound from the upstream to the client, byte for byte. Its price is known before it begins: the characters of
// the text.

import type { SpeechRequest } from '../../canonical/operation.ts';
import type { StreamFault } from '../../canonical/stream-part.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import type { RawStream, StreamPipe } from '../stream-pipe.ts';

const UNKNOWN_TYPE = 'application/octet-stream';
const MEDIA_TYPE = /^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}(?:; ?[a-z0-9-]{1,32}=[a-z0-9._-]{1,64}){0,4}$/i;
/** An error page or message with the type of a file. No sound begins like this by chance. */
const NO_SOUND = /^\s*(?:\{\s*"|<!doctype|<html|<\?xml)/i;
const SNIFFED_BYTES = 64;

export class SpeechPipe implements StreamPipe {
  readonly raw: RawStream;
  readonly usage: Usage;
  readonly keepAliveFrame = '';
  readonly keptBytes = 0;
  readonly frameCount = 0;
  readonly contentBytes = 0;
  readonly finishReason = null;
  readonly isDone = false;
  hasFinished = false;
  fault: StreamFault | null = null;
  #hasBegun = false;
  #contentType = UNKNOWN_TYPE;

  constructor({ expectedTypes, unitsMax }: SpeechRequest) {
    this.usage = { ...zeroUsage, units: unitsMax };
    const accept = (contentType: string): boolean => {
      const type = contentType.trim().toLowerCase();
      this.#contentType = MEDIA_TYPE.test(contentType) ? contentType : UNKNOWN_TYPE;
      return expectedTypes.some((expected) => type.startsWith(expected));
    };
    const contentType = (): string => this.#contentType;
    this.raw = {
      accepts: accept,
      get contentType() {
        return contentType();
      },
    };
  }

  get hasUsage(): boolean {
    return this.hasFinished;
  }

  get hasSpoken(): boolean {
    return this.#hasBegun;
  }

  push(chunk: Buffer): Buffer {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      if (NO_SOUND.test(chunk.toString('latin1', 0, SNIFFED_BYTES))) {
        this.fault = { kind: 'malformed', detail: 'a text that calls itself a sound', status: null };
        return chunk.subarray(0, 0);
      }
    }
    return chunk;
  }

  end(): string {
    this.hasFinished = this.#hasBegun;
    return '';
  }

  finale(): string {
    return '';
  }

  failure(): string {
    return '';
  }
}
