// How operators are known to the gateway: by their session, which a reload keeps, or by the operator token, which lives in
// the memory of this page alone.

import { useSyncExternalStore } from 'react';
import { type Method, request, send } from '../request.ts';
import { announce, rememberOperator, subscribe } from './remembered.ts';

let token: string | null = null;

export function keepOperatorToken(value: string | null): void {
  token = value;
  if (value !== null) rememberOperator();
  announce();
}

/** Whether a token is in use; without one the session counts. */
export const useHasOperatorToken = (): boolean => useSyncExternalStore(subscribe, () => token !== null);

export type OperateOptions = Readonly<{
  body?: unknown;
  /** A call that is made again with the same one is done once. */
  idempotencyKey?: string;
}>;

export const operate = <Answer>(method: Method, path: string, options: OperateOptions = {}): Promise<Answer> =>
  request<Answer>(method, `/admin/v1${path}`, { ...options, ...credential() });

const credential = (): Readonly<{ token?: string }> => (token === null ? {} : { token });

/** For downloads. */
export const operateRaw = (path: string): Promise<Response> => send('GET', `/admin/v1${path}`, credential());

/** Whether a token is the operator's, asked of something small. */
export const tryToken = (candidate: string): Promise<unknown> =>
  request('GET', '/admin/v1/brake', { token: candidate });

/** Everything that was read as the operator is cached below this, so that leaving can forget it. */
export const OPERATOR_KEY = 'operator';
