// One question of the tables: a route, asked by one kind of principal about one thing.

import type { Answer } from '../harness.ts';
import type { Params, Row } from './row.ts';
import type { Kind, World } from './world.ts';

export type Asked = Readonly<{
  method: string;
  path: string;
  row: Row;
  kind: Kind | Record<string, string>;
  params: Params;
}>;

const CLIENT_ADDRESS_HEADER = 'x-real-ip';

/** Makes a gateway believe the address that each question states. */
export const addressEnv = { TOLLGATE_CLIENT_IP_HEADER: CLIENT_ADDRESS_HEADER, TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' };

let questions = 0;

/**
 * Every question comes from an address of its own, so that a quick machine is not told to slow down. Measurements are
 * the exception: they are shown to whoever asks from this machine and through no proxy.
 */
export async function ask(world: World, { method, path, row, kind, params }: Asked): Promise<Answer> {
  const filled = path.replace(/:(\w+)|\*/g, (_, name = '*') => encodeURIComponent(params[name] ?? ''));
  const query = typeof row.query === 'function' ? row.query(world) : row.query;
  const body = typeof row.body === 'function' ? await row.body(world) : row.body;
  const target = query === undefined ? filled : `${filled}?${query}`;
  questions += 1;
  const address = `10.0.${questions >> 8}.${questions & 255}`;
  const from: Record<string, string> = path === '/metrics' ? {} : { [CLIENT_ADDRESS_HEADER]: address };
  const headers = { ...(await headersOf(world, row, kind)), ...from };
  return world.harness.request(method, target, { headers, ...(body === undefined ? {} : { body }) });
}

async function headersOf(world: World, row: Row, kind: Asked['kind']): Promise<Record<string, string>> {
  if (typeof kind === 'object') return kind;
  return kind === 'cookie' && row.as !== undefined ? row.as(world) : world.headers[kind];
}

/** An id of the right form that was never given out. */
export const madeUpId = (id: string): string => id.replace(/[0-9a-f]{24}(?=$|\.example$)/, '0'.repeat(24));

export const madeUp = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).map(([name, id]) => [name, madeUpId(id)]));

/** Everything in an answer except the parts that differ from one answer to the next by design. */
export function wholeOf({ status, headers, text }: Answer): string {
  const kept = [...headers].filter(([name]) => !/^(?:date|request-id|x-request-id|x-ratelimit-.*)$/.test(name));
  return JSON.stringify([status, kept, text]);
}
