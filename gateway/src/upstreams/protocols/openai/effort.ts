// How much a model should think, in this vendor's words: effort by name, whatever the caller stated.

import type { ReasoningSettings } from '../../../canonical/conversation.ts';

/** Budgets below these are the named effort; anything above is `high`. */
const LOW_EFFORT_TOKENS_BELOW = 4_000;
const MEDIUM_EFFORT_TOKENS_BELOW = 16_000;
/** Another vendor's word for the highest effort. */
const EFFORT_WORDS: ReadonlyMap<string, string> = new Map([['max', 'high']]);

/** Switched-off thinking is expressed by leaving the field out, because most models refuse the word for it. */
export function effortOf({ effort, tokensMax, isEnabled }: ReasoningSettings): string | undefined {
  if (isEnabled === false) return undefined;
  if (effort !== undefined) return EFFORT_WORDS.get(effort) ?? effort;
  if (tokensMax === undefined) return undefined;
  if (tokensMax < LOW_EFFORT_TOKENS_BELOW) return 'low';
  return tokensMax < MEDIUM_EFFORT_TOKENS_BELOW ? 'medium' : 'high';
}
