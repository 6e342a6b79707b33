// How much a model should think, in this vendor's words: effort by name, whatever the caller stated. A word that the
// model does not know makes the whole call fail, so the highest efforts become the highest that it knows.

import type { ReasoningSettings } from '../../../canonical/conversation.ts';
import type { Candidate } from '../../../canonical/model.ts';
import { vendorAt } from './vendors.ts';

/** Budgets below these are the named effort; anything above is `high`. */
const LOW_EFFORT_TOKENS_BELOW = 4_000;
const MEDIUM_EFFORT_TOKENS_BELOW = 16_000;

const OPENAI_NAME = /(?:^|[/.])(?:gpt-|o\d)/;
/** These know one effort only, which is their default. */
const ONE_EFFORT = /gpt-5[.\d]*-chat|gpt-5-pro/;
const KNOWS_MAX = /gpt-(?:5\.(?:[6-9]|\d\d)|[6-9])/;
const KNOWS_XHIGH = /gpt-5\.[2-5]|codex-max/;
/** Of xAI's models most think without being told how much, and refuse to be told. */
const GROK = /grok/i;
const GROK_WITH_EFFORT = /grok-(?:3-mini|4$|4\.3|4\.20-multi-agent|[5-9])/i;

/** What the caller asked for, in a word that the model knows. */
export function knownEffortOf(settings: ReasoningSettings, candidate: Candidate): string | undefined {
  const effort = effortOf(settings);
  const { upstreamModel, model } = candidate;
  // The provider's name tells more than ours, unless it is that of a deployment.
  const name = [upstreamModel, model.id].find((each) => OPENAI_NAME.test(each));
  if (name !== undefined && ONE_EFFORT.test(name)) return undefined;
  if (GROK.test(upstreamModel) && !GROK_WITH_EFFORT.test(upstreamModel) && !takesAnyEffort(candidate)) return undefined;
  if (effort !== 'max' && effort !== 'xhigh') return effort;
  if (name === undefined) return effort === 'xhigh' || takesAnyEffort(candidate) ? effort : 'high';
  if (KNOWS_MAX.test(name)) return effort;
  return KNOWS_XHIGH.test(name) ? 'xhigh' : 'high';
}

const takesAnyEffort = (candidate: Candidate): boolean => vendorAt(candidate)?.takesAnyEffort === true;

/** Switched-off thinking is expressed by leaving the field out, because most models refuse the word for it. */
export function effortOf({ effort, tokensMax, isEnabled }: ReasoningSettings): string | undefined {
  if (isEnabled === false) return undefined;
  if (effort !== undefined) return effort;
  if (tokensMax === undefined) return undefined;
  if (tokensMax < LOW_EFFORT_TOKENS_BELOW) return 'low';
  return tokensMax < MEDIUM_EFFORT_TOKENS_BELOW ? 'medium' : 'high';
}
