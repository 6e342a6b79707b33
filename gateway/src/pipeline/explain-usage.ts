// Whether an upstream's counts can be explained by the call that was made. What the provider reads by itself (searches,
// fetches, tools, plugins) explains a prompt beyond our estimate, thinking explains output beyond the caller's limit, and
// each turn that is accounted for explains a prompt of its own.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { NO_UNITS, type Units, type Usage } from '../canonical/usage.ts';
import { mayUseAny } from './hosted-tools.ts';

const PROMPT_TOKENS_SLACK = 10_000;
const MEDIA_TOKENS_MAX = 1_000_000;
/** Of a model whose limits the catalog does not state. */
const CONTEXT_TOKENS_MAX = 1_000_000;
/** Each use of a tool reads the conversation again. No answer takes more, whatever its provider says. */
const USES_MAX = 100;
/** Where tools are on offer and the provider does not count them. */
const UNCOUNTED_READINGS = 10;
const TURNS_MAX = 100;

export function isExplained(usage: Usage, request: CanonicalRequest, candidate: Candidate): boolean {
  const units = usage.units ?? NO_UNITS;
  return (
    usage.promptTokens <= promptTokensMax(usage, request, candidate) &&
    isOutputExplained(usage, request, candidate) &&
    areTurnsExplained(usage, candidate) &&
    usesOf(units) <= USES_MAX &&
    isWithin(units, request.unitsMax)
  );
}

function promptTokensMax(usage: Usage, request: CanonicalRequest, candidate: Candidate): number {
  const { needs } = request;
  const hasMedia = needs.imageInput || needs.fileInput || needs.audioInput || needs.videoInput;
  // The estimate is at least a third of a token per character, so twelve times it is four tokens per character.
  const sent = request.promptTokensEstimate * 12 + PROMPT_TOKENS_SLACK + (hasMedia ? MEDIA_TOKENS_MAX : 0);
  const readings = readingsOf(usage, request, candidate) + Math.min(usage.turns?.length ?? 0, TURNS_MAX);
  return sent + readings * contextTokensMax(candidate);
}

function readingsOf({ units }: Usage, request: CanonicalRequest, candidate: Candidate): number {
  const uses = usesOf(units ?? NO_UNITS);
  const isOffered = request.operation === 'chat' && mayUseAny(request, candidate);
  if (isOffered) return Math.max(uses + 1, UNCOUNTED_READINGS);
  // Some models search in any case.
  return uses === 0 ? 0 : uses + 1;
}

const usesOf = ({ webSearches, hostedTools }: Units): number => (webSearches ?? 0) + (hostedTools ?? 0);

/** Thinking may be counted beside the caller's limit; the model's context bounds it all the same. */
function isOutputExplained(usage: Usage, request: CanonicalRequest, candidate: Candidate): boolean {
  const { completionTokensMax } = candidate.model;
  const contextMax = contextTokensMax(candidate);
  const turns = Math.min(usage.turns?.length ?? 1, TURNS_MAX);
  const outputMax = request.outputTokensMax ?? completionTokensMax ?? contextMax;
  const answersMax = (outputMax * request.choiceCount * turns * 11) / 10 + 100;
  const thinking = Math.max(usage.reasoningTokens, usage.apartTokens ?? 0);
  return usage.completionTokens - thinking <= answersMax && thinking <= contextMax * request.choiceCount * turns;
}

/** What another model has read and written is bounded as what this one has. */
function areTurnsExplained({ turns }: Usage, candidate: Candidate): boolean {
  if (turns === undefined) return true;
  const contextMax = Math.max(contextTokensMax(candidate), CONTEXT_TOKENS_MAX);
  return turns.every(({ usage }) => usage.promptTokens <= contextMax && usage.completionTokens <= contextMax);
}

function contextTokensMax({ model }: Candidate): number {
  return Math.max(model.contextLength ?? CONTEXT_TOKENS_MAX, model.completionTokensMax ?? 0);
}

/** What is counted in units was known, or bounded, before the call was sent. */
function isWithin(units: Units, unitsMax: Units): boolean {
  return unitNames.every((name) => (units[name] ?? 0) <= (unitsMax[name] ?? 0));
}

const unitNames: readonly (keyof Units)[] = ['characters', 'audioMs', 'images', 'videoMs', 'searches'];
