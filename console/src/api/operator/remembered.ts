// That an operator token was accepted in this browser, now or once, without anything of the token. Every page may ask;
// what operators do is loaded with their pages.

import { useSyncExternalStore } from 'react';

const MARK = 'tollgate-operator';
const listeners = new Set<() => void>();

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announce(): void {
  for (const listener of listeners) listener();
}

export const rememberOperator = (): void => localStorage.setItem(MARK, 'yes');

export const useWasOperator = (): boolean => useSyncExternalStore(subscribe, () => localStorage.getItem(MARK) !== null);
