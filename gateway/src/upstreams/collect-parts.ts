// Makes the parts of a whole answer from the parts of a stream, so that the code that reads a stream also reads a whole
// answer.

import type { AssistantPart, Citation } from '../canonical/conversation.ts';
import { customCall } from '../canonical/custom-tools.ts';
import { partText, withPartText } from '../canonical/part-text.ts';
import type { StreamPart } from '../canonical/stream-part.ts';

export function collectParts(stream: readonly StreamPart[]): readonly AssistantPart[] {
  const parts: AssistantPart[] = [];
  /** Citations whose text has not come yet. */
  let waiting: Citation[] = [];
  for (const part of stream) {
    switch (part.type) {
      case 'text-start':
        parts.push({ type: 'text', text: '' });
        cite(parts, waiting);
        waiting = [];
        break;
      case 'reasoning-start':
        parts.push({ type: 'reasoning', text: '', itemId: part.itemId });
        break;
      case 'tool-input-start':
        parts.push({
          ...(part.isPlain
            ? customCall(part.id, part.name, '')
            : { type: 'tool-call', id: part.id, name: part.name, argumentsText: '' }),
          ...(part.namespace === undefined ? {} : { namespace: part.namespace }),
        });
        break;
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        extendLast(parts, part.text);
        break;
      case 'reasoning-end': {
        const { type: _type, ...opaque } = part;
        const last = parts.at(-1);
        if (last?.type === 'reasoning') parts[parts.length - 1] = { ...last, ...opaque };
        break;
      }
      case 'citation':
        if (!cite(parts, [part.citation])) waiting.push(part.citation);
        break;
      default:
        break;
    }
  }
  return parts;
}

/** False where no text has come. */
function cite(parts: AssistantPart[], citations: readonly Citation[]): boolean {
  const place = parts.findLastIndex(({ type }) => type === 'text');
  const text = parts[place];
  if (text?.type !== 'text') return false;
  if (citations.length > 0) parts[place] = { ...text, citations: [...(text.citations ?? []), ...citations] };
  return true;
}

/** A whole answer has each part in one piece, so what is added always belongs to the latest part. */
function extendLast(parts: AssistantPart[], text: string): void {
  const last = parts.at(-1);
  if (last === undefined) return;
  parts[parts.length - 1] = withPartText(last, partText(last) + text);
}
