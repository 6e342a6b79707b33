// The connections to one address. A call takes the connection that was used last, so that the others grow old and are
// closed; without one it opens another, and beyond the limit it waits for its turn. A call that met the close of its
// connection opens another too, because those that are free may be closing as well.

import { isIP } from 'node:net';
import { Roster } from '../../platform/roster.ts';
import { type CarriedCall, type ConnectionOwner, type UpstreamAddress, UpstreamConnection } from './connection.ts';

export type PoolOptions = Readonly<{
  address: UpstreamAddress;
  connectionsMax: number;
  /** Why an address must not be connected to; null where it may. */
  refusalOf(host: string): Error | null;
}>;

/** As many calls may wait before those among them that were given up are looked for. */
const WAITING_MIN = 1_024;

export class Pool implements ConnectionOwner {
  readonly address: UpstreamAddress;
  session: Buffer | undefined;
  readonly #options: PoolOptions;
  readonly #connections = new Roster<UpstreamConnection>();
  readonly #free: UpstreamConnection[] = [];
  #waiting: CarriedCall[] = [];
  #waitingMax = WAITING_MIN;
  #isServing = false;
  #isClosing = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.address = options.address;
  }

  get isEmpty(): boolean {
    return this.#connections.size === 0;
  }

  send(call: CarriedCall): void {
    // Those that wait come first.
    const free = this.#waiting.length === 0 ? this.#free.pop() : undefined;
    if (free !== undefined) free.carry(call);
    else if (this.#connections.size < this.#options.connectionsMax) this.#open(call);
    else this.#wait(call);
  }

  /**
   * A call that waits has the connection only after the turn of the loop: more may have come behind the answer, in a
   * read or a record of its own, and it must not be there before the call that it would answer.
   */
  onFree(connection: UpstreamConnection): void {
    if (this.#waiting.length === 0 && this.#isClosing) {
      connection.abort();
      return;
    }
    this.#free.push(connection);
    if (this.#waiting.length === 0 || this.#isServing) return;
    this.#isServing = true;
    setImmediate(() => this.#serveWaiting());
  }

  #serveWaiting(): void {
    this.#isServing = false;
    while (this.#free.length > 0) {
      const next = this.#next();
      if (next === undefined) break;
      this.#free.pop()?.carry(next);
    }
    if (this.#isClosing) this.close();
  }

  onClosed(connection: UpstreamConnection, crossed: CarriedCall | null): void {
    this.#connections.remove(connection);
    const place = this.#free.indexOf(connection);
    if (place !== -1) this.#free.splice(place, 1);
    if (crossed !== null) {
      this.#open(crossed);
      return;
    }
    const next = this.#next();
    if (next !== undefined) this.send(next);
  }

  sweep(passedMs: number): void {
    this.#connections.each((connection) => connection.sweep(passedMs));
  }

  /** Calls that were sent still end. */
  close(): void {
    this.#isClosing = true;
    for (const connection of this.#free.splice(0)) connection.abort();
  }

  destroy(): void {
    this.#waiting = [];
    this.close();
    this.#connections.each((connection) => connection.abort());
  }

  #open(call: CarriedCall): void {
    const { host } = this.address;
    // Sockets look names up, and nothing else, so a literal address is judged here.
    const refusal = isIP(host) === 0 ? null : this.#options.refusalOf(host);
    if (refusal === null) this.#connections.add(new UpstreamConnection(this, call));
    else queueMicrotask(() => call.onBroken(refusal));
  }

  #wait(call: CarriedCall): void {
    if (this.#waiting.length >= this.#waitingMax) {
      this.#waiting = this.#waiting.filter(({ isOver }) => !isOver);
      this.#waitingMax = Math.max(WAITING_MIN, 2 * this.#waiting.length);
    }
    this.#waiting.push(call);
  }

  #next(): CarriedCall | undefined {
    let next = this.#waiting.shift();
    while (next?.isOver === true) next = this.#waiting.shift();
    return next;
  }
}
