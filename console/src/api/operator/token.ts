// The operator's token. It lives in the memory of this page alone: leaving, a reload and closing the page forget it.

import { useSyncExternalStore } from 'react';
import { type Method, request } from '../request.ts';

let token: string | null = null;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function keepOperatorToken(value: string | null): void {
  token = value;
  for (const listener of listeners) listener();
}

export const useIsOperator = (): boolean => useSyncExternalStore(subscribe, () => token !== null);

export type OperateOptions = Readonly<{
  body?: unknown;
  /** A call that is made again with the same one is done once. */
  idempotencyKey?: string;
}>;

export const operate = <Answer>(method: Method, path: string, options: OperateOptions = {}): Promise<Answer> =>
  request<Answer>(method, `/admin/v1${path}`, { ...options, token: token ?? '' });

/** Whether a token is the operator's, asked of something small. */
export const tryToken = (candidate: string): Promise<unknown> =>
  request('GET', '/admin/v1/brake', { token: candidate });

/** Everything that was read as the operator is cached below this, so that leaving can forget it. */
export const OPERATOR_KEY = 'operator';
