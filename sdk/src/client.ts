// Tollgate's keys, organizations, usage and statements for programs. Paths, queries and bodies are typed by openapi.ts,
// which is made from the gateway's own description; calls to models go through a vendor's SDK and not through this one.

import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './openapi.ts';

export type { components, paths } from './openapi.ts';

export type TollgateOptions = Readonly<{
  /** Of the gateway, such as https://gateway.example. */
  url: string;
  /**
   * A management key for keys and organizations; a standard one reads its own account; the operator token opens /admin.
   */
  key: string;
  /** In place of the global one, for a proxy or a test. */
  fetch?: (request: Request) => Promise<Response>;
}>;

export type Tollgate = Client<paths, 'application/json'>;

export const createTollgate = ({ url, key, fetch }: TollgateOptions): Tollgate =>
  createClient<paths, 'application/json'>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { Authorization: `Bearer ${key}` },
    ...(fetch === undefined ? {} : { fetch }),
  });

/** What the gateway refused. Decide by `status` and `code`; `requestId` is what its operator asks for. */
export class TollgateError extends Error {
  readonly status: number;
  readonly code: string | number;
  readonly requestId: string | null;

  constructor(response: Response, { code, message }: Readonly<{ code: string | number; message: string }>) {
    super(message);
    this.name = 'TollgateError';
    this.status = response.status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id');
  }
}

type Answered<Data> = Readonly<{ data?: Data | undefined; error?: unknown; response: Response }>;

/** A proxy before the gateway answers in words of its own, of which only the status is known. */
function refusalOf(error: unknown, response: Response): TollgateError {
  const told = (error as Partial<components['schemas']['Error']> | null | undefined)?.error as
    | Partial<components['schemas']['Error']['error']>
    | null
    | undefined;
  const { status } = response;
  return new TollgateError(response, {
    code: told?.code ?? status,
    message: told?.message ?? `It answered ${status}.`,
  });
}

/** `await answerOf(tollgate.GET('/v1/keys'))`: the answer, or a `TollgateError`. */
export async function answerOf<Data>(asked: Promise<Answered<Data>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (!response.ok) throw refusalOf(error, response);
  return data as Data;
}

type Statement = components['schemas']['AccountStatement'];
type StatementParams = Pick<paths['/v1/statement']['get']['parameters'], 'query'>;
type StatementQuery = Omit<NonNullable<StatementParams['query']>, 'cursor' | 'format'>;

/** Every entry of the account's statement, newest first, page after page until the end or until it is aborted. */
export async function* statementEntries(
  tollgate: Tollgate,
  query: StatementQuery = {},
  options: Readonly<{ signal?: AbortSignal }> = {},
): AsyncGenerator<Statement['entries'][number]> {
  let cursor: string | null = null;
  do {
    const params: StatementParams = { query: { ...query, ...(cursor === null ? {} : { cursor }) } };
    const page: Statement = await answerOf(tollgate.GET('/v1/statement', { params, ...options }));
    yield* page.entries;
    cursor = page.next;
  } while (cursor !== null);
}
