// Reports that background work has failed, which the next round does again.

import { asError, type LogFields, type Logger } from '../logger.ts';
import { isConnectionFailure } from './connection-failure.ts';

/** A database that is away is reported elsewhere. */
export function reportFailure(logger: Logger, error: unknown, message: string, about: LogFields = {}): void {
  const level = isConnectionFailure(error) ? 'debug' : 'error';
  logger[level]({ ...about, error: asError(error) }, message);
}
