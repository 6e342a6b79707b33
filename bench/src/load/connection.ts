// One keep-alive connection that makes calls one after the other. It parses only enough HTTP to know where an answer
// ends and whether it was good, because on a shared core its own cost would slow what is measured.

import { connect, type Socket } from 'node:net';

export type RequestBytes = Readonly<{
  bytes: Buffer;
  isStream: boolean;
  /** Where the text of the prompt begins. */
  textAt: number;
}>;

export type Answer = Readonly<{
  /** Null when the answer is complete and as it should be. */
  failure: string | null;
  status: number;
  hasRetryAfter: boolean;
  sentAtMs: number;
  firstEventAtMs: number;
  endedAtMs: number;
}>;

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';
const DONE = 'data: [DONE]';
/** Enough to hold the end of the last event and of the chunked body. */
const TAIL_BYTES = 64;
const EXCERPT_CHARACTERS = 300;

export class Connection {
  readonly #port: number;
  readonly #onAnswer: (connection: Connection, answer: Answer) => void;
  #socket: Socket | null = null;
  #request: RequestBytes | null = null;
  #sentAtMs = 0;
  #firstEventAtMs = 0;
  /** The head of an answer that has not been read to its end. */
  #head = '';
  #isInBody = false;
  #status = 0;
  #isClosing = false;
  #hasRetryAfter = false;
  /** -1: the body is chunked. */
  #bodyBytesLeft = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(port: number, onAnswer: (connection: Connection, answer: Answer) => void) {
    this.#port = port;
    this.#onAnswer = onAnswer;
  }

  /** `dueAtMs` is when the call should have begun: the time that it waited for a connection counts. */
  send(request: RequestBytes, dueAtMs = performance.now()): void {
    this.#request = request;
    this.#sentAtMs = dueAtMs;
    this.#firstEventAtMs = 0;
    this.#isInBody = false;
    this.#head = '';
    this.#tail = this.#tail.subarray(0, 0);
    this.#socket ??= this.#open();
    this.#socket.write(request.bytes);
  }

  close(): void {
    this.#request = null;
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (data: Buffer) => this.#read(data));
    socket.on('error', (error) => this.#lose(error.message));
    socket.on('close', () => this.#lose('the connection was closed amid an answer'));
    return socket;
  }

  #lose(reason: string): void {
    this.#socket = null;
    if (this.#request !== null) this.#finish(reason);
  }

  #read(data: Buffer): void {
    if (this.#request === null) return;
    if (this.#isInBody) {
      this.#readBody(data, data);
      return;
    }
    this.#head += data.toString('latin1');
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) return;
    const bodyStart = data.length - (this.#head.length - end - HEAD_END.length);
    this.#readHead(this.#head.slice(0, end));
    this.#readBody(data.subarray(bodyStart), data);
  }

  #readHead(head: string): void {
    this.#isInBody = true;
    this.#status = Number(head.slice(9, 12));
    this.#isClosing = /\r\nconnection: *close/i.test(head);
    this.#hasRetryAfter = /\r\nretry-after: *\d/i.test(head);
    this.#bodyBytesLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? -1);
  }

  #readBody(body: Buffer, read: Buffer): void {
    if (this.#request?.isStream === true && this.#firstEventAtMs === 0 && body.includes('data:')) {
      this.#firstEventAtMs = performance.now();
    }
    if (this.#bodyBytesLeft >= 0) {
      this.#bodyBytesLeft -= body.length;
      if (this.#bodyBytesLeft <= 0) this.#judge(read);
      return;
    }
    this.#tail = (body.length >= TAIL_BYTES ? body : Buffer.concat([this.#tail, body])).subarray(-TAIL_BYTES);
    // Nothing follows an answer before the next call, so the last chunk is always at the end of a read.
    if (this.#tail.toString('latin1', Math.max(0, this.#tail.length - LAST_CHUNK.length)) === LAST_CHUNK)
      this.#judge(read);
  }

  #judge(read: Buffer): void {
    const isWhole = this.#request?.isStream === false || this.#tail.includes(DONE);
    if (this.#isClosing) {
      this.#socket?.removeAllListeners('close').destroy();
      this.#socket = null;
    }
    if (this.#status === 200 && isWhole) this.#finish(null);
    else this.#finish(`status ${this.#status}: ${read.toString('latin1').slice(-EXCERPT_CHARACTERS)}`);
  }

  #finish(failure: string | null): void {
    this.#request = null;
    this.#onAnswer(this, {
      failure,
      status: this.#isInBody ? this.#status : 0,
      hasRetryAfter: this.#hasRetryAfter,
      sentAtMs: this.#sentAtMs,
      firstEventAtMs: this.#firstEventAtMs,
      endedAtMs: performance.now(),
    });
  }
}
