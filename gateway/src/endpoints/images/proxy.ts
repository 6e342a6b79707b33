// GET and HEAD /v1/images/proxy/{token}: a picture, for anybody with its address. Headers keep a browser from treating
// it as anything else.

import { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { UNREAD_MS_MAX } from '../../http/framed-response.ts';
import type { FoundImage, Media } from '../../modules/media/media.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';

export const readImage =
  ({ media, clock }: Readonly<{ media: Media; clock: Clock }>): Handler =>
  async (exchange) => {
    const { request, response, params } = exchange;
    const image = await media.find(params.token ?? '', request.method === 'GET');
    if (image === null)
      throw new ApiError('http_404', 'There is no image here: the address is unknown or has expired.');
    response.writeHead(200, headersOf(exchange, image, clock.nowMs()));
    if (image.body === null) response.end();
    else await send(image.body, exchange);
  };

/** A client that leaves early is not a failure, and a picture that breaks off must not look complete. */
async function send(body: NonNullable<FoundImage['body']>, { response }: Exchange): Promise<void> {
  // For the reader alone: a store that is silent for so long has failed before.
  response.setTimeout(UNREAD_MS_MAX);
  try {
    assert(response instanceof ServerResponse, 'pictures are sent by Node');
    await pipeline(body, response);
  } catch {
    response.destroy();
  }
}

function headersOf({ headers }: Exchange, image: FoundImage, nowMs: number): string[] {
  const secondsLeft = Math.max(0, Math.floor((image.expiresAtMs - nowMs) / 1_000));
  return headers.concat([
    'Content-Type',
    image.type,
    'Content-Length',
    String(image.byteLength),
    'ETag',
    `"${image.digest}"`,
    'Cache-Control',
    `private, max-age=${secondsLeft}, immutable`,
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy',
    'cross-origin',
    'Content-Disposition',
    `inline; filename="image.${image.type.slice('image/'.length)}"`,
  ]);
}
