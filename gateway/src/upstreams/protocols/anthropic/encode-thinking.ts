// How much the model may think: an effort for models that decide themselves, a budget of tokens for earlier ones. The
// API refuses a budget in several situations that are allowed elsewhere; a request that can be served without thinking
// is then served without it.

import type { ReasoningSettings } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import { effortOf } from '../openai/effort.ts';
import type { EncodedTurn } from './encode-turns.ts';
import { isAdaptive, leastThinking, thinksWhenForced } from './model-version.ts';

export type Thinking =
  | Readonly<{ type: 'enabled'; budget_tokens: number }>
  | Readonly<{ type: 'adaptive'; display: 'summarized' }>
  | Readonly<{ type: 'disabled' | 'between_tools' }>;

/** Without this the thinking comes without its text. */
const ADAPTIVE: Thinking = { type: 'adaptive', display: 'summarized' };

type Situation = Readonly<{
  maxTokens: number;
  turns: readonly EncodedTurn[];
  isToolForced: boolean;
  candidate: Pick<Candidate, 'model' | 'upstreamModel'>;
}>;

const BUDGET_TOKENS_MIN = 1_024;
/** The most that an effort may ask for; a budget that the caller states is used as it is. */
const EFFORT_TOKENS_MAX = 32_000;
const SHARE_DEFAULT = 0.5;

/** Effort as a share of the token limit, which thinking and answer share. */
const shares: ReadonlyMap<string, number> = new Map([
  ['minimal', 0.1],
  ['low', 0.2],
  ['medium', SHARE_DEFAULT],
  ['high', 0.8],
  ['xhigh', 0.9],
  ['max', 0.9],
]);

export function encodeThinking(reasoning: ReasoningSettings | undefined, situation: Situation): Thinking | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, tokensMax, isEnabled } = reasoning;
  const { candidate } = situation;
  const isItsOwnChoice = isAdaptive(candidate);
  if (isEnabled === false || effort === 'none' || tokensMax === 0) {
    const type = isItsOwnChoice ? leastThinking(candidate) : 'disabled';
    return type === null || candidate.model.traits.isReasoningMandatory ? undefined : { type };
  }
  const isAsked = isEnabled === true || effort !== undefined || tokensMax !== undefined;
  if (!isAsked) return undefined;
  if (isItsOwnChoice) return situation.isToolForced && !thinksWhenForced(candidate) ? undefined : ADAPTIVE;
  // The budget must be below the limit, and one below the minimum is refused.
  const isPossible = situation.maxTokens > BUDGET_TOKENS_MIN && !situation.isToolForced && canThink(situation.turns);
  if (!isPossible) return undefined;
  const wanted = tokensMax ?? budgetOf(effort, situation.maxTokens);
  const budget = Math.min(Math.max(wanted, BUDGET_TOKENS_MIN), situation.maxTokens - 1);
  return { type: 'enabled', budget_tokens: budget };
}

const EFFORTS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** The member of `output_config` for a model that decides itself; a budget stands for the effort it comes closest to. */
export function encodeEffort(
  reasoning: ReasoningSettings | undefined,
  thinking: Thinking | undefined,
): Readonly<{ effort?: string }> {
  if (reasoning === undefined || thinking?.type !== 'adaptive') return {};
  const asked = reasoning.effort ?? effortOf(reasoning);
  const effort = asked === 'minimal' ? 'low' : asked;
  return effort !== undefined && EFFORTS.has(effort) ? { effort } : {};
}

function budgetOf(effort: string | undefined, maxTokens: number): number {
  const share = shares.get(effort ?? '') ?? SHARE_DEFAULT;
  return Math.min(Math.floor(maxTokens * share), EFFORT_TOKENS_MAX);
}

/**
 * False where the conversation ends with an answer to be continued, or within a round of tools whose calls came without
 * their thinking, which most clients of other dialects do not send back.
 */
function canThink(turns: readonly EncodedTurn[]): boolean {
  if (turns.at(-1)?.role === 'assistant') return false;
  const roundStart = turns.findLastIndex(({ role, content }) => role === 'user' && !content.some(isToolResult));
  const round = turns.slice(roundStart + 1);
  return round.length === 0 || round.some(({ content }) => content.some(isThinking));
}

function isToolResult(block: JsonObject): boolean {
  return block.type === 'tool_result';
}

function isThinking(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
