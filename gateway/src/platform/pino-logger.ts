// Logs as JSON lines. Nothing is redacted here because nothing secret is passed: the fields are metadata by type, and
// of an error only what identifies it is written.

import { type DestinationStream, pino } from 'pino';
import type { Logger } from './logger.ts';

const CAUSES_MAX = 4;

/** Drivers attach the failing values to their errors; those are left out. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: error.message,
    code: 'code' in error && typeof error.code === 'string' ? error.code : undefined,
    stack: error.stack,
    cause: error.cause !== undefined && depth < CAUSES_MAX ? describeError(error.cause, depth + 1) : undefined,
  };
}

export function createPinoLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, serializers: { error: (error: unknown) => describeError(error) } };
  return destination === undefined ? pino(options) : pino(options, destination);
}
