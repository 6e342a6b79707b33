// Connects the OpenID Connect library to an issuer, whose address a customer chose: through the guarded client, bounded
// in time and size, without following redirects.

import type { Outbound } from '../../../platform/outbound/outbound.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 262_144;

type Init = Readonly<{ method?: string; headers?: Record<string, string>; body?: unknown }>;

export type OutboundFetch = (url: string, init: Init) => Promise<Response>;

export const createOutboundFetch =
  (outbound: Pick<Outbound, 'request'>, allowHttp: boolean): OutboundFetch =>
  async (url, { method, headers, body }) => {
    const text = body instanceof URLSearchParams ? body.toString() : body;
    const answer = await outbound.request({
      url,
      purpose: { allowHttp, allowHighPorts: true },
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.entries(headers ?? {}).flatMap(([name, value]) => [name.toLowerCase(), value]),
      ...(typeof text === 'string' ? { body: text } : {}),
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
    });
    const contentType = answer.headers['content-type'];
    return new Response(new Uint8Array(answer.body), {
      status: answer.status,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    });
  };
