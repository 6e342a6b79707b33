// Calls of tools that take plain text, from an upstream that was offered functions in their place: the text is taken out
// of the arguments as they come, so that reviewers read what the tool will get, and clients see it grow.

import { CustomInputReader } from '../canonical/custom-input.ts';
import type { DecoderWishes, StreamDecoder, StreamPart } from '../canonical/stream-part.ts';
import { assert } from '../platform/assert.ts';
import { type OfferedTools, offeredTools } from './offered-tools.ts';
import { withReadableJson } from './readable-json.ts';
import type { RenderContext, StreamSource } from './stream-pipe.ts';

/** The parts of an upstream's stream, for a renderer. */
export function openDecoder(
  { createStreamDecoder }: StreamSource,
  { request, review = null }: RenderContext,
  wishes: DecoderWishes,
): StreamDecoder {
  assert(createStreamDecoder !== undefined, 'a codec of conversations reads streams');
  const decoder = withPlainInputs(createStreamDecoder(wishes), () => offeredTools(request));
  return review === null ? decoder : withReadableJson(decoder, request.needs.responseFormat);
}

/** `read` is asked when the first call comes: most answers have none. */
function withPlainInputs(decoder: StreamDecoder, read: () => OfferedTools): StreamDecoder {
  const readers = new Map<number, CustomInputReader>();
  let offered: OfferedTools | null = null;
  const start = (part: Extract<StreamPart, { type: 'tool-input-start' }>): StreamPart => {
    readers.delete(part.index);
    offered ??= read();
    if (!offered.has(part.name)) return { ...part, isInvented: true };
    if (part.isPlain === true || part.namespace !== undefined || !offered.isCustom(part.name)) return part;
    readers.set(part.index, new CustomInputReader());
    return { ...part, isPlain: true };
  };
  const end = (index: number): readonly StreamPart[] => {
    const text = readers.get(index)?.end() ?? '';
    readers.delete(index);
    return inputOf(index, text);
  };
  const map = (part: StreamPart): readonly StreamPart[] => {
    switch (part.type) {
      case 'tool-input-start':
        return [start(part)];
      case 'tool-input-delta': {
        const reader = readers.get(part.index);
        return reader === undefined ? [part] : inputOf(part.index, reader.push(part.text));
      }
      case 'tool-input-end':
        return [...end(part.index), part];
      case 'finish':
        // The answer may end before its calls do.
        return [...[...readers.keys()].flatMap(end), part];
      default:
        return [part];
    }
  };
  /** Nearly all parts are none of a call's. */
  const mapAll = (parts: readonly StreamPart[]): readonly StreamPart[] =>
    readers.size === 0 && !parts.some(({ type }) => type === 'tool-input-start') ? parts : parts.flatMap(map);
  return {
    get keptBytes() {
      let keptBytes = decoder.keptBytes;
      for (const { keptLength } of readers.values()) keptBytes += keptLength;
      return keptBytes;
    },
    push: (chunk) => mapAll(decoder.push(chunk)),
    end: () => mapAll(decoder.end()),
  };
}

const inputOf = (index: number, text: string): readonly StreamPart[] =>
  text === '' ? [] : [{ type: 'tool-input-delta', index, text }];
