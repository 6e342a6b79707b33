// Reviews every request before it is sent, with the moderator that the configuration names. A refused request is kept
// as evidence and answered with 403, even where the evidence could not be written.

import type { Caller } from '../../../canonical/caller.ts';
import type { CanonicalRequest, Judge } from '../../../canonical/operation.ts';
import { prepareTexts } from '../../../canonical/request.ts';
import { MODERATION_CATEGORIES, type ModerationEntry } from '../../../contract/config.ts';
import { ApiError, temporaryOutage } from '../../../errors/api-error.ts';
import { asError, type Logger } from '../../../platform/logger.ts';
import { createBuiltInModerator, createJudge, readBuiltInPolicy } from './built-in.ts';
import { createEndpointModerator, NoVerdictError } from './endpoint.ts';
import type { Evidence } from './evidence.ts';
import type { Moderator, Verdict } from './moderator.ts';

export type Moderation = Readonly<{
  /** Called by the pipeline. Throws the refusal. */
  review(request: CanonicalRequest, caller: Caller): CanonicalRequest | Promise<CanonicalRequest>;
  /** The categories of the built-in policy that each of the texts falls into, whichever of them are enforced. */
  judge: Judge;
}>;

type ModerationOptions = Readonly<{
  /** The current settings; the same object until they change. */
  settings(): ModerationEntry;
  evidence: Pick<Evidence, 'keep'>;
  logger: Logger;
}>;

const TIMEOUT_MS = 2_000;

type Chosen = Readonly<{ moderate: Moderator; reviewer: string; mayPassUnreviewed: boolean }>;

export function createModeration({ settings, evidence, logger }: ModerationOptions): Moderation {
  const policy = readBuiltInPolicy();
  let chosenFor: ModerationEntry | null = null;
  let chosen: Chosen | null = null;
  const choose = (entry: ModerationEntry): Chosen | null => {
    if (entry.provider === 'off') return null;
    if (entry.base_url === undefined) {
      const moderate = createBuiltInModerator(policy, new Set(entry.categories ?? MODERATION_CATEGORIES));
      return { moderate, reviewer: 'builtin', mayPassUnreviewed: false };
    }
    const { base_url: baseUrl, api_key: apiKey = '', model = null, timeout_ms: timeoutMs = TIMEOUT_MS } = entry;
    const moderate = createEndpointModerator({ baseUrl, apiKey, model, timeoutMs });
    return { moderate, reviewer: 'endpoint', mayPassUnreviewed: entry.on_failure === 'allow' };
  };

  const refuse = async (violation: Parameters<Evidence['keep']>[0]): Promise<never> => {
    const names = violation.verdict.categories.join(', ');
    let reference = '';
    try {
      reference = ` Reference: ${await evidence.keep(violation)}.`;
    } catch (error) {
      logger.error({ error: asError(error) }, 'evidence of a violation was not kept');
    }
    throw new ApiError('content_filter', `The prompt was blocked by content moderation (${names}).${reference}`);
  };

  const wait = async (verdict: Promise<Verdict | null>, mayPassUnreviewed: boolean): Promise<Verdict | null> => {
    try {
      return await verdict;
    } catch (error) {
      if (!(error instanceof NoVerdictError)) throw error;
      logger.warn({ error }, 'a request could not be moderated');
      if (mayPassUnreviewed) return null;
      throw temporaryOutage(NOT_REVIEWED, error.message, error);
    }
  };

  return {
    judge: createJudge(policy),
    review(request, caller) {
      const entry = settings();
      if (entry !== chosenFor) {
        chosen = choose(entry);
        chosenFor = entry;
      }
      // A call that asks what the policy says of a text does not violate it.
      if (chosen === null || request.operation === 'moderation') return request;
      const { moderate, reviewer, mayPassUnreviewed } = chosen;
      const preparing = prepareTexts(request, caller.accountId);
      const moderating = (): ReturnType<Moderator> => moderate(request, caller.accountId);
      const answer = preparing === undefined ? moderating() : preparing.then(moderating);
      if (answer === null) return request;
      const conclude = (verdict: Verdict | null): CanonicalRequest | Promise<never> =>
        verdict === null ? request : refuse({ request, caller, verdict, reviewer });
      return answer instanceof Promise ? wait(answer, mayPassUnreviewed).then(conclude) : conclude(answer);
    },
  };
}

const NOT_REVIEWED = 'The prompt could not be reviewed at the moment, so it was not sent. Try again shortly.';
