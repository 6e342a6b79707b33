// An error in the form of the Messages dialect: the body of a refused call and the error event of a broken stream.
// The dialect has a closed set of types, chosen by status; its SDKs pick the exception class by them.

import type { ApiError } from './api-error.ts';
import { publicCode } from './catalogue.ts';

export type MessagesEnvelope = Readonly<{
  type: 'error';
  error: Readonly<{ type: string; message: string; code: string | number; details?: ApiError['details'] }>;
}>;

const typesByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  410: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

export function messagesEnvelope(error: ApiError): MessagesEnvelope {
  const type = typesByStatus[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'api_error');
  // A member that is undefined is left out of the text.
  return {
    type: 'error',
    error: { type, message: error.message, code: publicCode(error.code), details: error.details },
  };
}
