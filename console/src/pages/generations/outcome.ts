// How a call ended, in a word.

import type { Tone } from '../../ui/badge.tsx';

/** The outcomes of calls in a log, as the list of calls is narrowed down by them. */
export const OUTCOMES = [
  ['ok', 'Answered'],
  ['failed', 'Failed'],
  ['abandoned', 'Broken off'],
  ['refused', 'Refused'],
] as const;

type Ended = Readonly<{
  finish_reason: string | null;
  /** The provider's. */
  status: number;
  /** What the client was told, which is what a log has. */
  error?: Readonly<{ status: number }> | null;
}>;
type Outcome = Readonly<{ text: string; tone: Tone }>;

/** `completed` is a video's. */
const GOOD = new Set(['stop', 'tool_calls', 'end_turn', 'completed']);

export function outcomeOf({ finish_reason: reason, status: answered, error }: Ended): Outcome {
  const status = error?.status ?? answered;
  if (status >= 400) return { text: `failed (${status})`, tone: 'bad' };
  if (reason === null) return { text: status === 200 ? 'done' : 'broken off', tone: status === 200 ? 'good' : 'warn' };
  return { text: reason.replaceAll('_', ' '), tone: GOOD.has(reason) ? 'good' : 'warn' };
}

type Logged = Readonly<{ outcome: string; finishReason: string | null; status: number }>;

/** The same for a call in a log, which also has calls for which no provider was asked. */
export function loggedOutcome({ outcome, finishReason, status }: Logged): Outcome {
  const code = status === 0 ? '' : ` (${status})`;
  if (outcome === 'refused') return { text: `refused${code}`, tone: 'warn' };
  if (outcome === 'failed') return { text: `failed${code}`, tone: 'bad' };
  if (outcome === 'abandoned') return { text: 'broken off', tone: 'warn' };
  return outcomeOf({ finish_reason: finishReason, status });
}
