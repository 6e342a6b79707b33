// Tabs within a page. Arrow keys, Home and End move between them; the Tab key reaches only the open one.

import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';

type Tab = Readonly<{ id: string; label: string; content: ReactNode }>;

type TabsProps = Readonly<{ label: string; tabs: readonly Tab[]; value?: string; onChange?: (id: string) => void }>;

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const baseId = useId();
  const [own, setOwn] = useState(tabs[0]?.id);
  const openId = value ?? own;
  const open = (id: string): void => {
    setOwn(id);
    if (id !== openId) onChange?.(id);
  };
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const target = targetOf(
      event.key,
      tabs.findIndex(({ id }) => id === openId),
      tabs.length,
    );
    const tab = target === null ? undefined : tabs[target];
    if (tab === undefined) return;
    event.preventDefault();
    open(tab.id);
    document.getElementById(`${baseId}-${tab.id}`)?.focus();
  };
  const shown = tabs.find(({ id }) => id === openId);
  return (
    <div>
      <div role="tablist" aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ id, label: text }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${baseId}-${id}`}
            aria-selected={id === openId}
            aria-controls={id === openId ? `${baseId}-panel` : undefined}
            tabIndex={id === openId ? 0 : -1}
            onClick={() => open(id)}
            onKeyDown={move}
            className="-mb-px shrink-0 border-b-2 border-transparent px-3 py-2 text-sm font-medium text-quiet aria-selected:border-accent aria-selected:text-ink"
          >
            {text}
          </button>
        ))}
      </div>
      {shown !== undefined && (
        <div
          key={shown.id}
          role="tabpanel"
          id={`${baseId}-panel`}
          aria-labelledby={`${baseId}-${shown.id}`}
          className="pt-4"
        >
          {shown.content}
        </div>
      )}
    </div>
  );
}

/** The tab that a key leads to; null for other keys. */
function targetOf(key: string, from: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (from + 1) % count;
    case 'ArrowLeft':
      return (from - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
