// Decides what the findings of an inspection mean: the request is refused, changed, or passed on with a note. The
// oldest blocking rule gives the reason. A rule that could not be checked in time counts as hit, unless it only makes
// notes.

import type { CanonicalRequest } from '../../../canonical/operation.ts';
import type { Passage } from '../../../canonical/passage.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { PROMPT_INJECTION } from '../templates/all.ts';
import type { Findings } from './inspect.ts';
import { redaction } from './redact.ts';
import type { FilterRule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

/** In the order of the set, each once. */
export function rulesHit({ rules }: RuleSet, { findings }: Findings): readonly FilterRule[] {
  const ids = new Set(findings.map(({ rule }) => rule.id));
  return rules.filter(({ id }) => ids.has(id));
}

/** The refusal, if there is one. */
export function refusalOf(hit: readonly FilterRule[], { undecided }: Findings): ApiError | null {
  const blocking = hit.find(({ action }) => action === 'block');
  if (blocking !== undefined) return blockedBy(blocking);
  const missing = undecided.find(({ action }) => action !== 'flag');
  return missing === undefined ? null : undecidedBy(missing);
}

function blockedBy({ name, type, pattern }: FilterRule): ApiError {
  if (type === 'template' && pattern === PROMPT_INJECTION) {
    const attempt = 'The prompt was blocked: it holds an attempt to override the instructions of the model';
    return new ApiError('invalid_prompt', `${attempt} (content filter "${name}" of your organization).`);
  }
  return new ApiError(
    'content_filter',
    `The prompt was blocked by the content filter "${name}" of your organization. Leave out what it looks for.`,
  );
}

/** A second try would take as long. */
function undecidedBy({ name }: FilterRule): ApiError {
  const what = `The content filter "${name}" of your organization could not be checked in time, so the prompt was not sent`;
  return new ApiError('http_503', `${what}. Send a shorter prompt, or simplify the filter's pattern.`, {
    isTerminal: true,
  });
}

/** The same request object where nothing has to be redacted. */
export function redact(
  request: CanonicalRequest,
  passages: readonly Passage[],
  { findings }: Findings,
): CanonicalRequest {
  const spans = findings.filter(({ rule }) => rule.action === 'redact').map(({ span }) => span);
  if (spans.length === 0) return request;
  const redacted = request.withTexts(redaction(passages, spans));
  // A limit on messages counts those that were sent, even where some were left out since.
  return redacted.operation === 'chat' && request.operation === 'chat'
    ? { ...redacted, messageCount: request.messageCount }
    : redacted;
}
