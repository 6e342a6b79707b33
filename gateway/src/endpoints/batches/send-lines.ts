// Downloads of files and results: piece by piece, as fast as the client reads. One that reads nothing for a while is
// dropped, because what is in memory for it is its account's.

import type { Exchange } from '../../http/exchange.ts';
import { drained } from '../../http/framed-response.ts';
import { startFile } from '../../http/respond.ts';

/** How much of the results of a batch is in memory while its reader is slow. */
export const RESULTS_BYTES_HELD = 8 * 1024 * 1024;

export async function sendLines(exchange: Exchange, lines: AsyncIterable<Buffer>): Promise<void> {
  const { response } = exchange;
  startFile(exchange, 'application/jsonl');
  for await (const part of lines) {
    if (response.destroyed) return;
    if (!response.write(part)) await drained(response);
  }
  response.end();
}
