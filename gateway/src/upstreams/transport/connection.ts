// One connection to an upstream: calls go over it one after another, and their answers are read as they come. A call
// that is given up, or an answer that cannot be read, ends the connection, because nobody knows what comes next on it.

import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { asError } from '../../platform/logger.ts';
import type { RosterMember } from '../../platform/roster.ts';
import { isJoinable, writeJoined } from '../../platform/write-joined.ts';
import type { AnswerHead, AnswerHeaders } from './answer-headers.ts';
import { AnswerReader, type AnswerSink } from './answer-reader.ts';
import type { TransportCall } from './receiver.ts';

/** A call as it is sent. */
export type WireCall = Readonly<{
  /** One character for each byte, with the empty line at its end. */
  head: string;
  /** A text is plain ASCII. */
  body: TransportCall['body'] | null;
}>;

/** A call that is carried, and who hears of its answer. */
export type CarriedCall = {
  readonly wire: WireCall;
  /** Nobody waits for the answer any more. */
  readonly isOver: boolean;
  /** From now on its bytes may reach the upstream. */
  onDeparture(connection: UpstreamConnection): void;
  /** The upstream has closed the connection as the call came. Whether it may be sent once more, on a new one. */
  onCrossed(): boolean;
  onHead(status: number, headers: AnswerHeaders): void;
  onBody(piece: Buffer): void;
  onComplete(): void;
  onBroken(error: Error): void;
};

export type UpstreamAddress = Readonly<{
  host: string;
  port: number;
  isSecure: boolean;
  connectMs: number;
  /** How long a connection is kept without a word of the upstream about it. */
  keptSeconds: number;
  /** Looks the name up and refuses where it must not lead; null for the operator's own addresses. */
  lookup: LookupFunction | null;
}>;

export type ConnectionOwner = {
  readonly address: UpstreamAddress;
  /** What the last secure connection has agreed on, which makes the next one cheaper. */
  session: Buffer | undefined;
  onFree(connection: UpstreamConnection): void;
  /** `crossed` is a call that is to be sent once more, on a new connection. */
  onClosed(connection: UpstreamConnection, crossed: CarriedCall | null): void;
};

export class ConnectTimeout extends Error {}

class ClosedByUpstream extends Error {
  constructor() {
    super('the upstream has closed the connection');
  }
}

const KEEP_ALIVE_PROBE_MS = 60_000;
const KEPT_SECONDS_MAX = 600;
/** So much earlier than the upstream, so that a call does not meet a connection that is just being closed. */
const EARLY_SECONDS = 2;
const MS_PER_SECOND = 1_000;
/**
 * An upstream that closes a quiet connection just as a call leaves has not read the call, and its close is here within a
 * round trip; one that breaks down while it works on the call mostly does so later. Nothing proves which it was, so only
 * calls are sent again that do no harm twice, for which RFC 9110 (9.2.2) allows it whatever their method, and only once:
 * what an upstream may charge in vain is a second's work. curl and Chrome send every call again that found a used
 * connection closed before a byte of an answer, however late; Go and nginx do not for a POST. A second has room for a
 * vendor far away and a packet that was lost.
 */
const CROSSING_MS = 1_000;
const CLOSE_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);
/** All connections read into the same memory: what is read is taken out of it before anything else is. */
const READ_BYTES = 65_536;
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

type Phase = 'connecting' | 'busy' | 'free' | 'closed';

export class UpstreamConnection implements AnswerSink, RosterMember {
  place = -1;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader(this);
  #phase: Phase = 'connecting';
  #carried: CarriedCall | null;
  /** How long it has been connecting or free, or has had its call. */
  #waitedMs = 0;
  #keptMs = 0;
  #isKept = true;
  /** An answer came over it before. */
  #hasServed = false;
  /** Something has come since the call left. */
  #isAnswering = false;
  #isSending = false;
  #isPaused = false;
  /** The answer is complete, but its reader has asked for a pause. */
  #isHeldBack = false;

  constructor(owner: ConnectionOwner, first: CarriedCall) {
    this.#owner = owner;
    this.#carried = first;
    const { isSecure } = owner.address;
    this.#socket = open(owner, (length) => this.#onRead(length));
    this.#socket
      .setNoDelay(true)
      .setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
      .once(isSecure ? 'secureConnect' : 'connect', () => this.#onConnected())
      .on('error', (error) => this.#close(error))
      .on('end', () => this.#onEnd())
      .on('close', () => this.#onClose());
    if (isSecure) {
      this.#socket.on('session', (session: Buffer) => {
        owner.session = session;
      });
    }
  }

  carry(call: CarriedCall): void {
    this.#carried = call;
    this.#phase = 'busy';
    this.#waitedMs = 0;
    this.#isAnswering = false;
    call.onDeparture(this);
    if (!this.#isClosed()) this.#send(call.wire);
  }

  /** Gives the call up, and the connection with it. */
  abort(): void {
    this.#carried = null;
    this.#close(null);
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
    if (!this.#isHeldBack) return;
    this.#isHeldBack = false;
    this.#complete();
  }

  /** Called now and then, with the time since the last call. */
  sweep(passedMs: number): void {
    this.#waitedMs += passedMs;
    if (this.#phase === 'busy') return;
    if (this.#phase === 'connecting') {
      const { connectMs } = this.#owner.address;
      if (this.#waitedMs > connectMs) this.#close(new ConnectTimeout(`not connected within ${connectMs} ms`));
    } else if (this.#waitedMs >= this.#keptMs) this.#close(null);
  }

  onHead({ status, headers, isKept, keptSeconds }: AnswerHead): void {
    this.#isKept = isKept;
    const stated = keptSeconds === null ? null : Math.min(keptSeconds, KEPT_SECONDS_MAX) - EARLY_SECONDS;
    this.#keptMs = (stated ?? this.#owner.address.keptSeconds) * MS_PER_SECOND;
    this.#carried?.onHead(status, headers);
  }

  onBody(piece: Buffer): void {
    this.#carried?.onBody(piece);
  }

  #isClosed(): boolean {
    return this.#phase === 'closed';
  }

  #onConnected(): void {
    if (this.#isClosed()) return;
    const first = this.#carried;
    if (first === null || first.isOver) this.#free();
    else this.carry(first);
  }

  #onRead(length: number): void {
    // What was decrypted before a pause comes in it.
    if (this.#isHeldBack) return;
    // Nobody has asked for these bytes, so they cannot be the answer to the next call either.
    if (this.#phase !== 'busy') {
      this.#close(null);
      return;
    }
    this.#isAnswering = true;
    try {
      const used = this.#reader.read(readBuffer, length);
      if (used === null || this.#isClosed()) return;
      // Behind a read that has filled the memory there may be more.
      if (used < length || length === READ_BYTES) this.#isKept = false;
      this.#complete();
    } catch (error) {
      this.#close(asError(error));
    }
  }

  #complete(): void {
    if (this.#isPaused) {
      this.#isHeldBack = true;
      // What comes during the pause is not seen, and must not be there before the next call.
      this.#isKept = false;
      return;
    }
    const call = this.#carried;
    this.#carried = null;
    this.#hasServed = true;
    // An upstream that answers before it has read everything may take the rest for the next call.
    if (!this.#isKept || this.#isSending || this.#socket.writableLength > 0 || this.#keptMs <= 0) this.#close(null);
    else this.#free();
    try {
      call?.onComplete();
    } catch (error) {
      call?.onBroken(asError(error));
    }
  }

  #free(): void {
    this.#phase = 'free';
    this.#waitedMs = 0;
    this.#carried = null;
    this.#owner.onFree(this);
  }

  /** The upstream will send no more. */
  #onEnd(): void {
    if (this.#isHeldBack) return;
    this.#isKept = false;
    if (this.#phase === 'busy' && this.#reader.end()) this.#complete();
    else this.#close(new ClosedByUpstream());
  }

  #onClose(): void {
    if (!this.#isHeldBack) this.#close(new ClosedByUpstream());
  }

  #close(error: Error | null): void {
    if (this.#isClosed()) return;
    this.#phase = 'closed';
    const call = this.#carried;
    this.#carried = null;
    this.#socket.destroy();
    const crossed = call !== null && this.#mayHaveCrossed(call, error) && call.onCrossed() ? call : null;
    this.#owner.onClosed(this, crossed);
    if (crossed === null) call?.onBroken(error ?? new ClosedByUpstream());
  }

  /** A body that is a stream has been read, so such a call cannot be sent again. */
  #mayHaveCrossed({ wire: { body } }: CarriedCall, error: Error | null): boolean {
    if (!this.#hasServed || this.#isAnswering || this.#waitedMs > CROSSING_MS) return false;
    if (body !== null && typeof body === 'object' && 'open' in body) return false;
    return error instanceof ClosedByUpstream || (error !== null && 'code' in error && CLOSE_CODES.has(error.code));
  }

  #send({ head, body }: WireCall): void {
    const socket = this.#socket;
    if (body === null) socket.write(head, 'latin1');
    else if (typeof body === 'string') socket.write(head + body, 'latin1');
    else if ('open' in body) void this.#sendStream(head, body);
    else if (Buffer.isBuffer(body) && isJoinable(head, body)) {
      if (this.#owner.address.isSecure) socket.write(head + body.toString('latin1'), 'latin1');
      else writeJoined(socket, head, body);
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      for (const piece of Buffer.isBuffer(body) ? [body] : body) socket.write(piece);
      socket.uncork();
    }
  }

  async #sendStream(head: string, body: Extract<TransportCall['body'], { open: unknown }>): Promise<void> {
    const socket = this.#socket;
    this.#isSending = true;
    let left = body.byteLength;
    try {
      socket.write(head, 'latin1');
      for await (const piece of body.open()) {
        if (this.#isClosed()) return;
        left -= piece.length;
        if (left < 0) break;
        if (piece.length > 0 && !socket.write(piece)) await drained(socket);
      }
      if (left !== 0) throw new Error('the body of the call is not as long as it was announced');
      this.#isSending = false;
    } catch (error) {
      this.#close(asError(error));
    }
  }
}

/** Resolves also when the connection is closed. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const goOn = (): void => {
      socket.off('drain', goOn).off('close', goOn);
      resolve();
    };
    socket.on('drain', goOn).on('close', goOn);
    if (socket.destroyed) goOn();
  });

function open({ address, session }: ConnectionOwner, onRead: (length: number) => void): Socket {
  const { host, port, isSecure, lookup } = address;
  const onread = {
    buffer: readBuffer,
    callback: (length: number): boolean => {
      onRead(length);
      return true;
    },
  };
  const options = { host, port, onread, ...(lookup === null ? {} : { lookup }) };
  if (!isSecure) return connectPlain(options);
  const named = isIP(host) === 0 ? { servername: host } : {};
  return connectSecure({ ...options, ...named, session, ALPNProtocols: ['http/1.1'] });
}
