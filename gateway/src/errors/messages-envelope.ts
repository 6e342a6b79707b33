// An error in the form of the Messages dialect: the body of a refused call and the error event of a broken stream. The
// dialect has a closed set of types, chosen by status, except that a prompt which is blocked (403) is an invalid request
// and not a lack of permission.

import type { ApiError } from './api-error.ts';
import { publicCode } from './catalogue.ts';
import { messagesOverflowMessage } from './context-overflow.ts';

type MessagesEnvelope = Readonly<{
  type: 'error';
  error: Readonly<{ type: string; message: string; code: string | number; details?: ApiError['details'] }>;
}>;

export const OVERLOADED = 529;

const typesByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  404: 'not_found_error',
  410: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  [OVERLOADED]: 'overloaded_error',
  504: 'timeout_error',
};

/** The dialect has a status of its own for errors that pass when the client tries again later. */
export function messagesStatus({ status, isTerminal }: ApiError): number {
  return status === 503 && !isTerminal ? OVERLOADED : status;
}

export function messagesEnvelope(error: ApiError): MessagesEnvelope {
  const status = messagesStatus(error);
  const typeByStatus = typesByStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const type = status === 403 ? error.type : typeByStatus;
  const message = error.overflow === undefined ? error.message : messagesOverflowMessage(error.overflow);
  // A member that is undefined is left out of the text.
  return {
    type: 'error',
    error: { type, message, code: publicCode(error.code), details: error.details },
  };
}
