// The operator API as the command line calls it. Every failure becomes one sentence that a person can act on: which
// address was tried, or what the gateway answered and under which request id.

import { readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import {
  CommandError,
  type HttpAnswer,
  type Method,
  type OperatorClient,
  type ProcessEnvironment,
  UncertainError,
} from './command.ts';
import type { Progress } from './progress.ts';

const DEFAULT_URL = 'http://127.0.0.1:4100';
/** Recomputing the books of a large installation takes minutes. */
const ANSWER_DEADLINE_MS = 600_000;

const inDataFolder = (environment: ProcessEnvironment, name: string): string =>
  join(environment.TOLLGATE_DATA_DIR ?? './data', name);

/** From the variable, else from the gateway's data folder, which works on the gateway's own machine. */
function operatorToken(environment: ProcessEnvironment): string {
  const given = environment.TOLLGATE_ADMIN_TOKEN?.trim();
  if (given !== undefined && given !== '') return given;
  const file = inDataFolder(environment, 'admin-token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new CommandError(`No operator token: set TOLLGATE_ADMIN_TOKEN (there is none in ${file}).`, { cause });
  }
}

/** Where the gateway of this data folder serves, as it wrote it down at its last start. */
function keptUrl(environment: ProcessEnvironment): string | null {
  const file = inDataFolder(environment, 'address');
  let url: string;
  try {
    url = readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
  // Whoever works in a folder of somebody else's must not send that person the operator token.
  if (!isOfThisMachine(url))
    throw new CommandError(`The address in ${file} is not one of this machine: set TOLLGATE_URL.`);
  return url;
}

function isOfThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  return [...own, hostname().toLowerCase(), 'localhost', '0.0.0.0', '::'].includes(host);
}

function baseUrl(environment: ProcessEnvironment): string {
  const given = environment.TOLLGATE_URL?.trim();
  const url = given === undefined || given === '' ? (keptUrl(environment) ?? DEFAULT_URL) : given;
  // `localhost:4100` is a URL too, of a protocol that is called localhost.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandError(`TOLLGATE_URL is not a URL that begins with http:// or https://: ${url}`);
  }
  return url.replace(/\/+$/, '');
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch (cause) {
    // Or a proxy before one, which tells of a failure in its own words.
    throw new UncertainError(`That is not a Tollgate gateway: it answered with something other than JSON.`, { cause });
  }
}

function refusal({ status, body, requestId }: HttpAnswer): CommandError {
  const error = (body as { error?: { message?: unknown; code?: unknown } } | null)?.error;
  const message = typeof error?.message === 'string' ? error.message : 'The gateway gave no reason.';
  const hint = status === 401 ? ' Check TOLLGATE_ADMIN_TOKEN.' : '';
  const trail = requestId === undefined ? '' : `, request ${requestId}`;
  const Kind = status >= 500 ? UncertainError : CommandError;
  return new Kind(`${message}${hint} (${status}${trail})`);
}

/** Failures of a connection that stood: the gateway may have got the request. */
const AFTER_SENDING: ReadonlySet<unknown> = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
]);

const isSent = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && AFTER_SENDING.has(cause.code);

const brokenOff = (url: string, cause: unknown): CommandError =>
  new UncertainError(`The answer of ${url} broke off, so what was asked for may be done or not. Look first.`, {
    cause,
  });

/** A redirect is not followed, because the operator token goes where it was meant to go. */
function sentOn(url: string, location: unknown): CommandError {
  const place = typeof location === 'string' ? location : 'another address';
  return new CommandError(`Nothing was done: ${url} leads to ${place}. Set TOLLGATE_URL to where the gateway answers.`);
}

export function createOperatorClient(
  environment: ProcessEnvironment,
  progress: Pick<Progress, 'during'>,
): OperatorClient {
  const url = baseUrl(environment);
  const ask = async (method: Method, path: string, body?: unknown, idempotencyKey?: string): Promise<HttpAnswer> => {
    // Public routes work without a token, so none is sent to them.
    const isOperatorRoute = path.startsWith('/admin/');
    const answer = await request(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(isOperatorRoute ? { authorization: `Bearer ${operatorToken(environment)}` } : {}),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: ANSWER_DEADLINE_MS,
      bodyTimeout: ANSWER_DEADLINE_MS,
    }).catch((cause: unknown) => {
      if (isSent(cause)) throw brokenOff(url, cause);
      throw new CommandError(`No gateway answers at ${url}. Is it running? TOLLGATE_URL says where.`, { cause });
    });
    const text = await answer.body.text().catch((cause: unknown) => {
      throw brokenOff(url, cause);
    });
    if (answer.statusCode >= 300 && answer.statusCode < 400) throw sentOn(url, answer.headers.location);
    const requestId = answer.headers['x-request-id'];
    return {
      status: answer.statusCode,
      body: parseJson(text),
      requestId: typeof requestId === 'string' ? requestId : undefined,
    };
  };
  return {
    url,
    probe: (path) => ask('GET', path),
    async call(method, path, body, idempotencyKey) {
      const asking = ask(method, path, body, idempotencyKey);
      const answer = await progress.during('Waiting for the gateway', asking);
      if (answer.status >= 400) throw refusal(answer);
      return answer.body;
    },
  };
}
