// The upstream: answers chat calls with prepared bytes. It speaks HTTP by hand on raw sockets, because an upstream that
// costs as much as a proxy would itself be what is measured.

import { createServer, type Socket } from 'node:net';
import { MADE, MADE_MS, PICTURE_MODE, VIDEO_MODE } from './target.ts';
import {
  FILE_BYTES,
  fileHead,
  filePiece,
  frameChunks,
  pictureAnswer,
  videoAnswer,
  wholeAnswer,
} from './upstream-answers.ts';
import { Pacer } from './upstream-pacer.ts';

type Plan = Readonly<
  | { kind: 'whole' | 'made' | 'picture' | 'video' | 'file' | 'stats' | 'unknown' }
  | { kind: 'stream'; writes: readonly Buffer[]; intervalMs: number }
>;

const HEAD_END = '\r\n\r\n';

/** `pacedFrames` counts only writes of paced streams, because those of a burst are too many. */
const counts = { calls: 0, pacedFrames: 0, openStreams: 0 };
const plans = new Map<string, Plan>();
const pacers = new Map<number, Pacer>();

const whole = wholeAnswer();
const picture = pictureAnswer();
const video = videoAnswer();

function planOf(path: string): Plan {
  let plan = plans.get(path);
  if (plan === undefined) {
    plan = makePlan(path);
    plans.set(path, plan);
  }
  return plan;
}

function makePlan(path: string): Plan {
  if (path === '/stats') return { kind: 'stats' };
  const stream = /^\/stream-(\d{1,4})x(\d{1,4})\//.exec(path);
  if (stream !== null) {
    const intervalMs = Number(stream[2]);
    return { kind: 'stream', intervalMs, writes: frameChunks(Number(stream[1]), intervalMs === 0) };
  }
  if (path.startsWith(`/${PICTURE_MODE}/`)) return { kind: 'picture' };
  if (path.startsWith(`/${VIDEO_MODE}/`)) return { kind: path.endsWith('/content') ? 'file' : 'video' };
  if (path.startsWith(`/${MADE}/`)) return { kind: 'made' };
  return { kind: path.startsWith('/whole/') ? 'whole' : 'unknown' };
}

function pacerOf(intervalMs: number): Pacer {
  let pacer = pacers.get(intervalMs);
  if (pacer === undefined) {
    pacer = new Pacer(intervalMs);
    pacers.set(intervalMs, pacer);
  }
  return pacer;
}

class Connection {
  readonly #socket: Socket;
  #head = '';
  #path = '';
  #bodyBytesLeft = -1;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data: Buffer) => this.#read(data));
    socket.on('error', () => socket.destroy());
  }

  #read(data: Buffer): void {
    if (this.#bodyBytesLeft >= 0) {
      this.#readBody(data);
      return;
    }
    this.#head += data.toString('latin1');
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) return;
    const head = this.#head.slice(0, end);
    const bodyStart = data.length - (this.#head.length - end - HEAD_END.length);
    this.#head = '';
    this.#path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1'));
    // Every client here declares the length of its body.
    this.#bodyBytesLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#readBody(data.subarray(bodyStart));
  }

  #readBody(data: Buffer): void {
    const rest = data.length - this.#bodyBytesLeft;
    this.#bodyBytesLeft -= data.length;
    if (rest < 0) return;
    this.#bodyBytesLeft = -1;
    this.#answer();
    if (rest > 0) this.#read(data.subarray(data.length - rest));
  }

  #answer(): void {
    const plan = planOf(this.#path);
    if (plan.kind === 'stream') this.#stream(plan.writes, plan.intervalMs);
    else if (plan.kind === 'video') this.#socket.write(video);
    else if (plan.kind === 'file') this.#sendFile();
    else if (plan.kind === 'made') setTimeout(() => this.#socket.write(whole), MADE_MS);
    else if (plan.kind === 'whole' || plan.kind === 'picture') {
      counts.calls += 1;
      this.#socket.write(plan.kind === 'whole' ? whole : picture);
    } else if (plan.kind === 'stats') {
      const body = JSON.stringify(counts);
      this.#socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}${HEAD_END}${body}`,
      );
    } else this.#socket.write(`HTTP/1.1 404 Not Found\r\ncontent-length: 0${HEAD_END}`);
  }

  /** As fast as the client reads. */
  #sendFile(): void {
    let left = FILE_BYTES;
    const sendMore = (): void => {
      while (left > 0 && !this.#socket.destroyed) {
        left -= filePiece.length;
        if (this.#socket.write(filePiece)) continue;
        this.#socket.once('drain', sendMore);
        return;
      }
    };
    this.#socket.write(fileHead);
    sendMore();
  }

  #stream(writes: readonly Buffer[], intervalMs: number): void {
    counts.calls += 1;
    if (intervalMs === 0) {
      for (const bytes of writes) this.#socket.write(bytes);
      return;
    }
    let next = 0;
    counts.openStreams += 1;
    pacerOf(intervalMs).add(() => {
      const bytes = writes[next];
      if (bytes !== undefined && !this.#socket.destroyed) {
        this.#socket.write(bytes);
        counts.pacedFrames += 1;
        next += 1;
        if (next < writes.length) return true;
      }
      counts.openStreams -= 1;
      return false;
    });
  }
}

const server = createServer((socket) => new Connection(socket));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
