// An edit of the config document that is not applied yet. It lives beside the pages, so that leaving one keeps it, and
// whoever closes the window is asked. It is in memory alone: keys of providers may be in it.

import { useSyncExternalStore } from 'react';
import type { ConfigDocument } from '../../../api/operator/config.ts';

export type Draft = Readonly<{
  /** What was live when the edit began. */
  base: ConfigDocument;
  document: ConfigDocument;
  /** What was typed into the whole document, while it may be none; null where forms made the edit. */
  text: string | null;
}>;

let current: Draft | null = null;
const listeners = new Set<() => void>();

const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

export function keepDraft(draft: Draft | null): void {
  if (draft !== null && current === null) addEventListener('beforeunload', ask);
  if (draft === null) removeEventListener('beforeunload', ask);
  current = draft;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useDraft = (): Draft | null => useSyncExternalStore(subscribe, () => current);
