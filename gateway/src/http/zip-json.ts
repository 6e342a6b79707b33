// Compresses large JSON of the management routes for clients that accept it: lists of calls and models shrink to a
// tenth. Only answers to GET, which never contain a secret whose length could be guessed from outside; never an answer
// of a model, which must not wait; and not for callers without a credential, who could waste the gateway's processor.

import { constants, gzip } from 'node:zlib';
import type { Exchange, HttpRequest } from './exchange.ts';

const BYTES_MIN = 8_192;
/** Finds gzip in `Accept-Encoding`, with a weight that is not zero. */
const TAKES_GZIP = /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?(?:$|[\s,]))/i;

export function isWorthZipping({ request, route }: Exchange, status: number, text: string): boolean {
  if (status !== 200 || text.length < BYTES_MIN || request.method !== 'GET') return false;
  if (route.access === 'model' || route.access === 'public') return false;
  return takesGzip(request);
}

export const takesGzip = ({ headers }: HttpRequest): boolean =>
  TAKES_GZIP.test(String(headers['accept-encoding'] ?? ''));

/** The fastest level, on another thread, because the thread that serves calls has no time for it. */
export function sendZipped({ response }: Exchange, status: number, text: string, headers: readonly string[]): void {
  gzip(text, { level: constants.Z_BEST_SPEED }, (error, zipped) => {
    if (response.destroyed) return;
    const body = error === null ? zipped : Buffer.from(text);
    const coding = error === null ? ['Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding'] : [];
    response.writeHead(status, [...headers, ...coding, 'Content-Length', String(body.byteLength)]).end(body);
  });
}
