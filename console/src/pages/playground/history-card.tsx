// The conversations that this browser keeps: opened again, or forgotten.

import { Trash2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Moment } from '../../ui/moment.tsx';
import type { KeptConversation } from './kept-conversations.ts';

type HistoryProps = Readonly<{
  kept: readonly KeptConversation[];
  onOpen: (kept: KeptConversation) => void;
  onForget: (id: string) => void;
}>;

export function History({ kept, onOpen, onForget }: HistoryProps) {
  if (kept.length === 0) return null;
  return (
    <details className="rounded-xl border border-line bg-surface px-5 py-3">
      <summary className="text-sm font-medium">Earlier conversations</summary>
      <p className="mt-2 text-sm text-quiet">They are kept in this browser only, and removed when you sign out.</p>
      <ul className="mt-2 grid gap-1">
        {kept.map((entry) => (
          <li key={entry.id} className="flex items-center gap-2 text-sm">
            <Button kind="ghost" isSmall className="min-w-0 flex-1 justify-start" onClick={() => onOpen(entry)}>
              <span className="truncate" title={entry.title}>
                {entry.title}
              </span>
            </Button>
            <span className="shrink-0 text-xs text-quiet">
              <Moment at={entry.at} />
            </span>
            <Button kind="ghost" isSmall aria-label={`Forget ${entry.title}`} onClick={() => onForget(entry.id)}>
              <Trash2 size={15} aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
