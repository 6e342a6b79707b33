// A model's entry with what a form says of it. What the entry has already stays in its place, so that the difference shows
// nothing but the change; what the form leaves empty is taken out, because the document knows no empty values.

import type { ModelEntry } from '../../../../../gateway/src/contract/config.ts';

export type EntryValues = Readonly<{ name: string; context: string; prices: Readonly<Record<string, string>> }>;

export function editedEntry(entry: ModelEntry, { name, context, prices }: EntryValues): ModelEntry {
  const pricing = merged(entry.pricing ?? {}, prices);
  return merged(entry, {
    name,
    context_length: context === '' ? '' : Number(context),
    pricing: Object.keys(pricing).length === 0 ? '' : pricing,
  });
}

function merged<Target extends object>(target: Target, changes: Readonly<Record<string, unknown>>): Target {
  const filled = Object.entries({ ...target, ...changes }).filter(([, value]) => value !== '');
  return Object.fromEntries(filled) as Target;
}
