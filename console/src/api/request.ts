// The only way in which the console calls the gateway: JSON in, JSON out, every failure an ApiProblem. The session is a
// cookie that scripts cannot read; secrets that pass through here are not stored.

import { ApiProblem } from './problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type RequestOptions = Readonly<{
  body?: unknown;
  /** A bearer token instead of the session. */
  token?: string;
  /** Another type than JSON, where the route has one. */
  accept?: string;
  signal?: AbortSignal;
  /** The application that a call to a model is made for, as reports name it. */
  app?: string;
  /** Repeated with the same key, a call is done once. */
  idempotencyKey?: string;
}>;

export async function request<Answer>(method: Method, path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await send(method, path, options);
  if (response.status === 204) return undefined as Answer;
  return (await response.json()) as Answer;
}

/** The raw response of a successful call, for streams and downloads. */
export async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  if (options.app !== undefined) headers['X-Title'] = options.app;
  if (options.idempotencyKey !== undefined) headers['Idempotency-Key'] = options.idempotencyKey;
  if (options.accept !== undefined) headers.Accept = options.accept;
  if (options.token !== undefined) headers.Authorization = `Bearer ${options.token}`;
  const response = await fetch(path, {
    method,
    headers,
    credentials: 'same-origin',
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const { code, message } = readError(await response.text(), response.status);
  return new ApiProblem({ status: response.status, code, message, requestId: response.headers.get('x-request-id') });
}

function readError(text: string, status: number): Readonly<{ code: string; message: string }> {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    if (typeof error?.message === 'string') return { code: String(error.code ?? status), message: error.message };
  } catch {
    // A proxy in between answered with a page of its own; only the status is known.
  }
  return { code: String(status), message: `The gateway answered with status ${status}.` };
}

/** `?a=1&b=2` of what is set; empty when nothing is. */
export function queryText(values: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
