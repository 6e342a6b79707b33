// From the head of an upstream's answer to the head of ours, and which of the bytes that follow belong to the client. An
// upstream may send parts of a file or only the whole: the client gets the part that it asked for either way.

import type { IncomingHttpHeaders } from 'node:http';
import type { VideoJob } from '../../canonical/video-job.ts';
import { ApiError } from '../../errors/api-error.ts';
import { type AskedRange, isAnswerTo, parseContentRange, rangeWithin, unsatisfiedLength } from './byte-range.ts';

export type ContentPlan = Readonly<{
  status: 200 | 206;
  /** Names and values in turn. */
  headers: readonly string[];
  /** Bytes that come before the client's. */
  skip: number;
  /** Null when the upstream does not say how many there are. */
  length: number | null;
}>;

const VIDEO_TYPE = 'video/mp4';
/** What many servers call everything that is no text. */
const PLAIN_TYPES = ['application/octet-stream', 'binary/octet-stream', 'application/mp4', 'application/binary'];
const VIDEO = /^video\/[a-z0-9.+-]{1,32}$/;
const DIGITS = /^\d{1,15}$/;

export const entityTag = ({ id }: VideoJob, index: number): string => `"${id}-${index}"`;

export const lastModified = ({ endedAtMs }: VideoJob): string => new Date(endedAtMs ?? 0).toUTCString();

/** Null when the answer is none that can be used; throws the 416. */
export function planContent(status: number, upstream: IncomingHttpHeaders, asked: AskedRange): ContentPlan | null {
  if (status === 416) throw unsatisfiable(unsatisfiedLength(upstream['content-range']));
  const type = typeOf(upstream['content-type']);
  if (type === null || (upstream['content-encoding'] ?? 'identity') !== 'identity') return null;
  if (status === 206) return planPart(upstream, asked, type);
  return status === 200 ? planWhole(upstream, asked, type) : null;
}

function planPart(upstream: IncomingHttpHeaders, asked: AskedRange, type: string): ContentPlan | null {
  const sent = parseContentRange(upstream['content-range']);
  if (sent === null || !isAnswerTo(asked, sent)) return null;
  if (asked.kind === 'invalid') throw unsatisfiable(sent.length);
  const length = sent.last - sent.first + 1;
  const range = `bytes ${sent.first}-${sent.last}/${sent.length ?? '*'}`;
  const headers = ['Content-Type', type, 'Content-Length', String(length), 'Content-Range', range];
  return { status: 206, headers, skip: 0, length };
}

function planWhole(upstream: IncomingHttpHeaders, asked: AskedRange, type: string): ContentPlan {
  const declared = upstream['content-length'] ?? '';
  const total = DIGITS.test(declared) ? Number(declared) : null;
  if (asked.kind === 'invalid') throw unsatisfiable(total);
  const isWhole = asked.kind === 'whole' || total === null;
  if (isWhole) {
    const size = total === null ? [] : ['Content-Length', String(total)];
    return { status: 200, headers: ['Content-Type', type, ...size], skip: 0, length: total };
  }
  const range = rangeWithin(asked, total);
  if (range === null) throw unsatisfiable(total);
  const length = range.last - range.first + 1;
  const sentRange = `bytes ${range.first}-${range.last}/${total}`;
  const headers = ['Content-Type', type, 'Content-Length', String(length), 'Content-Range', sentRange];
  return { status: 206, headers, skip: range.first, length };
}

/** The length of the whole file, for a question about it alone; null when the upstream does not say. */
export function wholeLength(status: number, upstream: IncomingHttpHeaders): number | null {
  if (status === 206) return parseContentRange(upstream['content-range'])?.length ?? null;
  const declared = upstream['content-length'] ?? '';
  return status === 200 && DIGITS.test(declared) ? Number(declared) : null;
}

/** Null for a page or a message that is no video. */
export function typeOf(header: string | undefined): string | null {
  const type = (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (PLAIN_TYPES.includes(type) || type === '') return VIDEO_TYPE;
  return VIDEO.test(type) ? type : null;
}

function unsatisfiable(length: number | null): ApiError {
  return new ApiError('http_416', 'The Range header asks for nothing that this video has.', {
    headers: { 'Content-Range': `bytes */${length ?? '*'}`, 'Accept-Ranges': 'bytes' },
  });
}
