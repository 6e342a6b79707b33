import type { StreamDecoder } from '../../../canonical/stream-part.ts';

export function createChatStreamDecoder(): StreamDecoder {
  return { push: () => [], end: () => [] };
}
