// The conversations of the playground that this browser keeps, separate for each person. The gateway keeps none: they
// are only in the browser's storage, without pictures, and are removed when the person signs out.

import { KEPT_PREFIX } from '../../api/forget-conversations.ts';
import type { Conversation } from './conversation.ts';
import { readConversation, withoutPictures } from './conversation-link.ts';

const KEPT_MAX = 20;
const TEXT_LENGTH_MAX = 1_000_000;
const TITLE_LENGTH_MAX = 80;

export type KeptConversation = Readonly<{ id: string; at: string; title: string; conversation: Conversation }>;

/** The newest first. */
export function keptConversations(userId: string): readonly KeptConversation[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_PREFIX + userId) ?? '[]') as readonly KeptConversation[];
    return kept.map((entry) => ({ ...entry, conversation: readConversation(entry.conversation) }));
  } catch {
    // From another version, or storage is not allowed: then there is no history.
    return [];
  }
}

/** Replaces the one with the same id. The oldest are removed where there are too many or they are too long. */
export function keepConversation(userId: string, id: string, conversation: Conversation): void {
  const others = keptConversations(userId).filter((entry) => entry.id !== id);
  const title = conversation.columns[0]?.[0]?.question.text.slice(0, TITLE_LENGTH_MAX) ?? '';
  const entry = { id, at: new Date().toISOString(), title, conversation: withoutPictures(conversation) };
  write(userId, [entry, ...others].slice(0, KEPT_MAX));
}

export function forgetConversation(userId: string, id: string): void {
  write(
    userId,
    keptConversations(userId).filter((entry) => entry.id !== id),
  );
}

function write(userId: string, entries: readonly KeptConversation[]): void {
  let fitting = entries;
  while (fitting.length > 0 && JSON.stringify(fitting).length > TEXT_LENGTH_MAX) fitting = fitting.slice(0, -1);
  try {
    localStorage.setItem(KEPT_PREFIX + userId, JSON.stringify(fitting));
  } catch {
    // A full storage keeps no more; the conversation itself goes on.
  }
}
