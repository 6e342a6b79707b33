// How operators are known to the gateway: by their session, which a reload keeps, or by the operator token, which lives in
// the memory of this page alone. That there was a token is remembered by the browser, without anything of it.

import { useSyncExternalStore } from 'react';
import { type Method, request, send } from '../request.ts';

let token: string | null = null;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The name under which the browser remembers that a token was accepted in it. */
const MARK = 'tollgate-operator';

export function keepOperatorToken(value: string | null): void {
  token = value;
  if (value !== null) localStorage.setItem(MARK, 'yes');
  for (const listener of listeners) listener();
}

/** Whether a token is in use; without one the session counts. */
export const useHasOperatorToken = (): boolean => useSyncExternalStore(subscribe, () => token !== null);

/** Whether a token was accepted in this browser, now or once. */
export const useWasOperator = (): boolean => useSyncExternalStore(subscribe, () => localStorage.getItem(MARK) !== null);

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
