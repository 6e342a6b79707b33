// Tabs within a page. Arrow keys move between them.

import { Tabs as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

export type Tab = Readonly<{ id: string; label: string; content: ReactNode }>;

type TabsProps = Readonly<{ label: string; tabs: readonly Tab[]; value?: string; onChange?: (id: string) => void }>;

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const first = tabs[0]?.id ?? '';
  const control = value === undefined ? { defaultValue: first } : { value };
  return (
    <Primitive.Root {...control} {...(onChange === undefined ? {} : { onValueChange: onChange })}>
      <Primitive.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px shrink-0 border-b-2 border-transparent px-3 py-2 text-sm font-medium text-quiet data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.id} value={tab.id} className="pt-4">
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
