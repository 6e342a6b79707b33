// How a call ended, in a word.

import type { Tone } from '../../ui/badge.tsx';

type Ended = Readonly<{ finish_reason: string | null; status: number }>;

const GOOD = new Set(['stop', 'tool_calls', 'end_turn']);

export function outcomeOf({ finish_reason: reason, status }: Ended): Readonly<{ text: string; tone: Tone }> {
  if (status >= 400) return { text: `failed (${status})`, tone: 'bad' };
  if (reason === null) return { text: status === 200 ? 'done' : 'broken off', tone: status === 200 ? 'good' : 'warn' };
  return { text: reason.replaceAll('_', ' '), tone: GOOD.has(reason) ? 'good' : 'warn' };
}
