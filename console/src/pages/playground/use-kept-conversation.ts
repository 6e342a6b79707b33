// Keeps the conversation in the browser whenever an answer has ended, and opens earlier ones: from the history, or from
// the fragment of the address.

import { useEffect, useRef, useState } from 'react';
import type { Conversation } from './conversation.ts';
import { readFragment } from './conversation-link.ts';
import {
  forgetConversation,
  type KeptConversation,
  keepConversation,
  keptConversations,
} from './kept-conversations.ts';

type Kept = Readonly<{
  kept: readonly KeptConversation[];
  isFromLink: boolean;
  /** Begins another conversation. */
  begin: () => void;
  openKept: (kept: KeptConversation) => void;
  forget: (id: string) => void;
}>;

type Input = Readonly<{
  userId: string;
  conversation: Conversation;
  isRunning: boolean;
  open: (conversation: Conversation) => void;
}>;

export function useKeptConversation({ userId, conversation, isRunning, open }: Input): Kept {
  const [id, setId] = useState(newId);
  const [kept, setKept] = useState(() => keptConversations(userId));
  const [isFromLink, setFromLink] = useState(false);
  const wasRunning = useRef(false);
  const keep = (): void => {
    // What was begun anew while an answer came has ended without a word.
    if (conversation.columns.every((turns) => turns.length === 0)) return;
    keepConversation(userId, id, conversation);
    setKept(keptConversations(userId));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of an answer is what it is kept at.
  useEffect(() => {
    if (wasRunning.current && !isRunning) keep();
    wasRunning.current = isRunning;
  }, [isRunning]);
  const openLink = async (): Promise<void> => {
    const found = await readFragment(location.hash);
    if (found === null) return;
    open(found);
    setId(newId());
    setFromLink(true);
    // A reload begins with the kept conversation, not with the link again.
    history.replaceState(history.state, '', location.pathname + location.search);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is read when the page opens or it changes.
  useEffect(() => {
    const onChange = (): void => void openLink();
    onChange();
    window.addEventListener('hashchange', onChange);
    return () => window.removeEventListener('hashchange', onChange);
  }, []);
  return {
    kept,
    isFromLink,
    begin() {
      if (isRunning) keep();
      setId(newId());
      setFromLink(false);
    },
    openKept(entry) {
      if (isRunning) keep();
      setId(entry.id);
      setFromLink(false);
      open(entry.conversation);
    },
    forget(forgotten) {
      forgetConversation(userId, forgotten);
      setKept(keptConversations(userId));
    },
  };
}

/** A page without TLS has no better random source; the id only has to differ from twenty others. */
const newId = (): string => `${Date.now()}-${Math.random()}`;
