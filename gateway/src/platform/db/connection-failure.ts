// Tells "the database is away" from "the statement is wrong". On the first, callers write to the journal or answer 503;
// the second must be reported. An unknown error without a code counts as the second.

/** All states of the classes 08 (the connection broke) and 28 (it was refused) mean away; of other classes, these. */
const AWAY_STATES: ReadonlySet<string> = new Set([
  '57P01', // The administrator ends the session.
  '57P02', // Another session crashed the server.
  '57P03', // Starting up or shutting down.
  '57P04', // The database was dropped.
  '57P05', // Idle for too long.
  '25P03', // Idle in a transaction for too long.
  '3D000', // There is no such database.
  '53300', // Too many connections.
  '25006', // A fail-over has made this server a read-only standby.
]);

const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The driver gives these errors no code, only a message. */
const DRIVER_MESSAGES: ReadonlySet<string> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
]);

export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** True when the server could not be reached or went away, so that the same statement may succeed later. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  if (code === null) return DRIVER_MESSAGES.has(error.message);
  if (/^(?:08|28)...$/.test(code)) return true;
  if (AWAY_STATES.has(code) || SOCKET_CODES.has(code)) return true;
  // The socket file of a stopped server is missing; a missing file elsewhere does not mean that the database is away.
  return code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
}
