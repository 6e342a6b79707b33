// Gets a picture from where an upstream says that it lies. The address is a stranger's, so the guarded client asks for
// it, a few at a time, bounded in time and size; what comes is only bytes until somebody has looked at them.

import { createGate } from '../../platform/gate.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';

export const IMAGE_BYTES_MAX = 25 * 1024 * 1024;

const TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 3;
const AT_ONCE_MAX = 8;
const HEADERS = ['accept', 'image/png, image/jpeg, image/webp, image/gif'];

/** Null when it cannot be had; why is in the log, without the address, which may be a secret. */
export type FetchImage = (url: string) => Promise<Buffer | null>;

export function createImageFetcher(outbound: Pick<Outbound, 'request'>, logger: Logger): FetchImage {
  const gate = createGate(AT_ONCE_MAX);
  return (url) => gate(() => fetchImage(url, outbound, logger));
}

async function fetchImage(url: string, outbound: Pick<Outbound, 'request'>, logger: Logger): Promise<Buffer | null> {
  try {
    const { status, body } = await outbound.request({
      url,
      purpose: { allowHttp: true, allowHighPorts: true },
      headers: HEADERS,
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: IMAGE_BYTES_MAX,
      redirectsMax: REDIRECTS_MAX,
    });
    if (status === 200) return body;
    logger.warn({ status }, 'a picture was not where the upstream said');
    return null;
  } catch (error) {
    if (!(error instanceof ForbiddenUrlError || error instanceof OutboundError)) throw error;
    logger.warn({ reason: error.message }, 'a picture could not be fetched');
    return null;
  }
}
