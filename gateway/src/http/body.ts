// Request bodies. They are read only after the caller is known and has not used up the rate limit, so that a stranger
// cannot make the gateway hold ten megabytes.

import type { JsonObject } from '../canonical/json.ts';
import { isJsonObject } from '../canonical/json.ts';
import { ApiError } from '../errors/api-error.ts';
import { markIntegers, parseMarkedJson } from '../platform/exact-json.ts';
import { documentOf, type JsonDocument, repeatsKey } from '../platform/json-document.ts';
import type { Exchange, RouteRow } from './exchange.ts';
import { hasProtoKey, scanJson } from './json-guard.ts';

/** Specification, Limits: 10 MB on all endpoints. */
export const BODY_BYTES_MAX = 10_485_760;

export const bodyBytesMax = (route: RouteRow): number => route.bodyBytesMax ?? BODY_BYTES_MAX;

export function bodyTooLarge(limitBytes: number): ApiError {
  return new ApiError('http_413', `The request body is larger than ${limitBytes} bytes.`);
}

/** Refuses what cannot be read, and asks for the rest where the client waits to be asked. */
export function beginBody({ request, response }: Exchange): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('http_415', 'Compressed request bodies are not accepted.');
  }
  if (request.headers.expect !== undefined) response.writeContinue();
}

/**
 * Resolves with the whole body. The server has refused a declared length over the row's limit before; here an
 * undeclared one is counted, and as soon as it is over nothing of it is kept.
 */
export function readBody(exchange: Exchange): Promise<Buffer> {
  const { request } = exchange;
  const limitBytes = bodyBytesMax(exchange.route);
  return new Promise((resolve, reject) => {
    beginBody(exchange);
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) {
        stop();
        chunks.length = 0;
        reject(bodyTooLarge(limitBytes));
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = () => {
      stop();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    };
    const onClose = () => {
      stop();
      reject(new ApiError('http_400', 'The request body ended early.'));
    };
    const stop = () => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** The body as a JSON object. Integers beyond 2^53 arrive as bigint, so that nothing is lost on the way upstream. */
export async function readJsonBody(exchange: Exchange): Promise<JsonObject> {
  return (await readJsonDocument(exchange)).json;
}

/** The same with its bytes, for whoever passes them on. */
export async function readJsonDocument(exchange: Exchange): Promise<JsonDocument> {
  const bytes = await readBody(exchange);
  if (bytes.length === 0) throw new ApiError('http_400', 'The request body is empty; a JSON object is expected.');
  const scanning = scanJson(bytes);
  const scanned = scanning instanceof Promise ? await scanning : scanning;
  const text = markIntegers(bytes, scanned.integerSpans);
  const value = parse(text);
  if (!isJsonObject(value)) throw new ApiError('http_400', 'The request body must be a JSON object.');
  if (hasProtoKey(text, value)) throw new ApiError('http_400', 'The key "__proto__" is not allowed in JSON.');
  return documentOf(value, bytes, repeatsKey(value, scanned) ? { ...scanned, marks: null } : scanned);
}

function parse(text: string): unknown {
  try {
    return parseMarkedJson(text);
  } catch (error) {
    throw new ApiError('http_400', 'The request body is not valid JSON.', { cause: error });
  }
}
