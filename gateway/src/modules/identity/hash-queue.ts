// Decides which password is hashed next. Few slow hashes run at a time and the sources take turns, so that a flood from
// one source delays its own requests, and those of others by no more than a turn.

import { ApiError } from '../../errors/api-error.ts';

/** About ten seconds of work; a later request is refused at once. */
const WAITING_MAX = 200;
const WAITING_OF_SOURCE_MAX = 40;
const RETRY_AFTER_SECONDS = 5;

type Turn = Readonly<{ start: () => void; refuse: (error: Error) => void }>;

export class HashQueue {
  readonly #waiting = new Map<string, Turn[]>();
  #waitingCount = 0;
  readonly #runningMax: number;
  #running = 0;

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  async run<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#runningMax) await this.#wait(source);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #wait(source: string): Promise<void> {
    const own = this.#waiting.get(source) ?? [];
    if (own.length >= WAITING_OF_SOURCE_MAX) throw tooMany();
    if (this.#waitingCount >= WAITING_MAX && !this.#makeRoom(own.length)) throw tooMany();
    this.#waiting.set(source, own);
    this.#waitingCount += 1;
    return new Promise((resolve, reject) => own.push({ start: resolve, refuse: reject }));
  }

  /** Drops the last request of the source with the most waiting, if that is more than the newcomer would have. */
  #makeRoom(ownCount: number): boolean {
    let longest: Turn[] = [];
    for (const turns of this.#waiting.values()) if (turns.length > longest.length) longest = turns;
    if (longest.length <= ownCount + 1) return false;
    longest.pop()?.refuse(tooMany());
    this.#waitingCount -= 1;
    return true;
  }

  /** The place passes directly to the next source in line, so that a newcomer cannot take it. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    const [source, turns] = next;
    const turn = turns.shift();
    this.#waitingCount -= 1;
    this.#waiting.delete(source);
    if (turns.length > 0) this.#waiting.set(source, turns);
    turn?.start();
  }
}

const tooMany = (): ApiError =>
  new ApiError('http_503', 'Too many people are signing in at the moment. Try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
