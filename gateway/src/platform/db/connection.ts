// What all connections to PostgreSQL have in common: the URL of one host in, a driver configuration out. Type parsers
// are set per connection and never globally, so that another user of the driver in this process keeps its own.

import { type Client, type ClientConfig, types } from 'pg';

const CONNECT_TIMEOUT_MS = 2_000;
const END_TIMEOUT_MS = 1_000;

type TypeParser = (text: string) => unknown;

const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;

/** The driver's own types of type ids include no arrays. */
const driverParser = (typeId: number, format?: 'text' | 'binary') =>
  types.getTypeParser(typeId as Parameters<typeof types.getTypeParser>[0], format);

function toBigints(items: readonly unknown[]): unknown[] {
  return items.map((item) => (Array.isArray(item) ? toBigints(item) : item === null ? null : BigInt(item as string)));
}

const PARSERS: ReadonlyMap<number, TypeParser> = new Map<number, TypeParser>([
  [INT8, BigInt],
  [INT8_ARRAY, (text) => toBigints(driverParser(INT8_ARRAY)(text))],
  // The driver would make a Date at local midnight, which is another day in UTC east of Greenwich.
  [DATE, (text) => text],
]);

function getTypeParser(typeId: number, format?: 'text' | 'binary'): unknown {
  return (format === 'binary' ? undefined : PARSERS.get(typeId)) ?? driverParser(typeId, format);
}

export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'tollgate',
    types: { getTypeParser: getTypeParser as typeof types.getTypeParser },
  };
}

/** Closes the connection, but does not wait for a server that no longer answers. */
export async function endClient(client: Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_TIMEOUT_MS);
  });
  await Promise.race([client.end(), givenUp]);
  clearTimeout(timer);
}
