// How operators identify themselves to the gateway: by their session, which a reload keeps, or by the operator token,
// which is kept only in this page's memory.

import { useSyncExternalStore } from 'react';
import { forgottenWithPerson } from '../person-memory.ts';
import { type Method, request, send } from '../request.ts';
import { announce, rememberOperator, subscribe } from './remembered.ts';

let token: string | null = null;

export function keepOperatorToken(value: string | null): void {
  token = value;
  if (value !== null) rememberOperator();
  announce();
}

forgottenWithPerson(() => keepOperatorToken(null));

/** Whether an operator token is in use; without one the session is used. */
export const useHasOperatorToken = (): boolean => useSyncExternalStore(subscribe, () => token !== null);

export type OperateOptions = Readonly<{
  body?: unknown;
  /** The gateway carries out a call only once when it is repeated with the same key. */
  idempotencyKey?: string;
}>;

export const operate = <Answer>(method: Method, path: string, options: OperateOptions = {}): Promise<Answer> =>
  request<Answer>(method, `/admin/v1${path}`, { ...options, ...credential() });

const credential = (): Readonly<{ token?: string }> => (token === null ? {} : { token });

/** Returns the whole response, for downloads. */
export const operateRaw = (path: string): Promise<Response> => send('GET', `/admin/v1${path}`, credential());

/** Finds out whether a token is the operator's, with a small request. */
export const tryToken = (candidate: string): Promise<unknown> =>
  request('GET', '/admin/v1/brake', { token: candidate });

/**
 * Cached answers of the operator's endpoints have this key, so that all of them are forgotten when the operator leaves.
 */
export const OPERATOR_KEY = 'operator';
