// The memory for large answers: those being collected, incomplete events of streams, and what waits for slow clients.

import type { HttpResponse } from '../http/exchange.ts';
import { MemoryRoom, TakenRoom } from '../platform/memory-room.ts';
import { failureToApiError, noRoom } from '../upstreams/failure.ts';

/** For all answers of a process. A little more is in use for a moment, while an answer is read and written. */
const BYTES_MAX = 256 * 1024 * 1024;

export class AnswerRoom extends MemoryRoom {
  constructor(bytesMax = BYTES_MAX) {
    super(bytesMax);
  }
}

/** For an answer that is sent whole: it takes room until its client has read it. Throws a 503 where there is none. */
export function takeUntilClosed(room: AnswerRoom, owner: string, bytes: number, response: HttpResponse): void {
  // Nobody would hear of the end of a response that is over.
  if (response.destroyed) return;
  const taken = new TakenRoom(room, owner);
  if (!taken.cover(bytes)) throw failureToApiError(noRoom(taken.isCrowdedOut));
  response.once('close', () => taken.giveBack());
}
