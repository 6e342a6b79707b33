// An edit of the config document that is not applied yet. It is kept outside the pages, so that leaving one keeps it,
// and closing the window asks first. It is only in memory, because it may contain providers' keys.

import { useSyncExternalStore } from 'react';
import type { ConfigDocument } from '../../../api/operator/config.ts';

export type Draft = Readonly<{
  /** The document that was live when the edit began. */
  base: ConfigDocument;
  document: ConfigDocument;
  /** The typed text of the whole document, which may be invalid; null where forms made the edit. */
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
