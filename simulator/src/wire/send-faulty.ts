// The slow path of an answer: every command that changes it on its way is applied here. The fast path, for plain
// answers, is `send-plain.ts`.

import type { Answer, StreamAnswer, WholeAnswer } from '../answer.ts';
import type { Commands, ContentEncoding } from '../command-rules.ts';
import type { Protocol } from '../operation.ts';
import { compressPieces } from './compress.ts';
import { breakConnection } from './connection-faults.ts';
import { type Exchange, isGone, pause } from './exchange.ts';
import { framePieces, splitEvery, splitForStyle, withInvalidByte } from './frames.ts';
import { applyStreamFaults, type Ending } from './stream-faults.ts';
import { type Transmission, transmit } from './transmit.ts';

const DRIP_BYTES = 16;
const MEGABYTE = 1024 * 1024;

const HOSTILE_HEADERS = [
  ...['set-cookie', 'session=stolen; Path=/'],
  ...['server', 'secret-upstream/1.0'],
  ...['x-powered-by', 'secret-upstream'],
  ...['access-control-allow-origin', 'https://evil.example'],
  ...['access-control-allow-credentials', 'true'],
  ...['strict-transport-security', 'max-age=31536000'],
  ...['x-upstream-account', 'acct_secret'],
];

type Pieces = Transmission['pieces'];

function headersFor(answer: Answer, commands: Commands): string[] {
  const headers = Object.entries(answer.headers).flat();
  if (commands.hasHostileHeaders) headers.push(...HOSTILE_HEADERS);
  if (commands.giantHeaderKilobytes !== undefined)
    headers.push('x-padding', 'p'.repeat(commands.giantHeaderKilobytes * 1024));
  if (commands.encoding !== undefined) headers.push('content-encoding', encodingHeader(commands.encoding));
  return headers;
}

function encodingHeader(encoding: ContentEncoding): string {
  if (encoding === 'gzip-twice') return 'gzip, gzip';
  return encoding === 'gzip-fake' ? 'gzip' : encoding;
}

function encode(pieces: Pieces, encoding: ContentEncoding | undefined, isComplete: boolean): Pieces {
  if (encoding === undefined || encoding === 'gzip-fake') return pieces;
  if (encoding !== 'gzip-twice') return compressPieces(pieces, encoding, isComplete);
  return compressPieces(compressPieces(pieces, 'gzip', isComplete), 'gzip', isComplete);
}

async function* drip(pieces: Pieces): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield* splitEvery(piece, DRIP_BYTES);
}

function* endlessBody(body: Buffer): Generator<Buffer> {
  yield body.subarray(0, -1);
  const blanks = Buffer.alloc(1024, ' ');
  for (;;) yield blanks;
}

function* bombBody(body: Buffer, megabytes: number): Generator<Buffer> {
  const blanks = Buffer.alloc(MEGABYTE, ' ');
  yield body.subarray(0, 1);
  for (let sent = 0; sent < megabytes; sent += 1) yield blanks;
  yield body.subarray(1);
}

function wholeEnding(commands: Commands): Ending {
  if (commands.body === 'short-body') return 'cut';
  if (commands.ending === undefined) return 'end';
  // A whole answer has no valid end in the middle: whatever a stream would do, here the connection breaks.
  return commands.ending.action === 'eof' ? 'cut' : commands.ending.action;
}

function wholePieces(body: Buffer, commands: Commands, ending: Ending): Pieces {
  if (commands.isEndless) return endlessBody(body);
  if (commands.bombMegabytes !== undefined) return bombBody(body, commands.bombMegabytes);
  const kept = ending === 'end' ? body : body.subarray(0, Math.floor(body.length / 2));
  return splitForStyle(kept, commands.styles ?? []);
}

async function collect(pieces: Pieces): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function pauseFor(commands: Commands): number | undefined {
  const styles = commands.styles ?? [];
  const isSplit = styles.includes('byte-by-byte') || styles.includes('split-utf8');
  return commands.dripMs ?? commands.delayMs ?? (isSplit ? 0 : undefined);
}

async function planWhole(answer: WholeAnswer, commands: Commands): Promise<Transmission> {
  const body = withInvalidByte(answer.body);
  const ending = wholeEnding(commands);
  const isUnbounded = commands.isEndless === true || commands.bombMegabytes !== undefined;
  const encoded = encode(wholePieces(body, commands, ending), commands.encoding, ending === 'end');
  const isEncoded = commands.encoding !== undefined && !isUnbounded;
  const bytes = isEncoded ? await collect(encoded) : undefined;
  const pieces = bytes === undefined ? encoded : [bytes];
  // A body that breaks off declares its full length; what it would have been once encoded does not matter.
  const fullLength = bytes === undefined || ending !== 'end' ? body.length : bytes.length;
  return {
    status: answer.status,
    headers: headersFor(answer, commands),
    pieces: commands.dripMs === undefined ? pieces : drip(pieces),
    declaredLength: isUnbounded || commands.transfer === 'chunked' ? undefined : fullLength,
    pauseMs: pauseFor(commands),
    ending,
    isCloseDelimited: commands.transfer === 'close',
  };
}

function planStream(answer: StreamAnswer, commands: Commands, protocol: Protocol): Transmission {
  const { frames, ending } = applyStreamFaults(answer, commands, protocol);
  const encoded = encode(framePieces(frames, commands.styles ?? []), commands.encoding, ending === 'end');
  return {
    status: commands.status ?? 200,
    headers: headersFor(answer, commands),
    pieces: commands.dripMs === undefined ? encoded : drip(encoded),
    declaredLength: undefined,
    pauseMs: pauseFor(commands),
    ending: commands.body === 'short-body' ? 'cut' : ending,
    isCloseDelimited: commands.transfer === 'close',
  };
}

/** `answer` already has the replacements of status and body faults (`replace-answer.ts`). */
export async function sendFaulty(
  exchange: Exchange,
  answer: Answer,
  commands: Commands,
  protocol: Protocol,
): Promise<void> {
  const firstWaitMs = commands.waitMs ?? (answer.kind === 'whole' ? commands.delayMs : undefined);
  if (firstWaitMs !== undefined) await pause(exchange, firstWaitMs);
  if (isGone(exchange)) return;
  if (commands.connection !== undefined) return breakConnection(exchange, commands.connection);
  const isStream = answer.kind === 'stream';
  await transmit(exchange, isStream ? planStream(answer, commands, protocol) : await planWhole(answer, commands));
}
