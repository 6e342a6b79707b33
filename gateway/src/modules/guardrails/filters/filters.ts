// The content filters of organizations: kept and changed by their administrators, and run over every request of their
// keys. Requests of personal keys are not looked at and cost nothing here.

import type { AnswerText, OutputReview, ReviewedTexts } from '../../../canonical/answer.ts';
import type { AuditEntry } from '../../../canonical/audit-entry.ts';
import type { Caller } from '../../../canonical/caller.ts';
import type { ReviewEntry, ReviewNotes } from '../../../canonical/generation.ts';
import type { CanonicalRequest } from '../../../canonical/operation.ts';
import { type PassageOrigin, passagesOf, userPassage } from '../../../canonical/passage.ts';
import { prepareTexts } from '../../../canonical/request.ts';
import { type ApiError, temporaryOutage } from '../../../errors/api-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Notices } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/logger.ts';
import { createSettingsCache } from '../../../platform/settings-cache.ts';
import { looksClean } from '../first-look.ts';
import { readInjections } from '../guardrail-data.ts';
import { compileLexiconLater } from '../phrases/lexicon.ts';
import { refuseUnread } from '../refuse-unread.ts';
import { createPatternPool, type PatternPool } from '../regex/pattern-pool.ts';
import * as store from '../store/filters.ts';
import { createDataTemplates } from '../templates/all.ts';
import { AT_ONCE_LENGTH } from '../units.ts';
import { createRuleChanges, type RuleChangeOptions, type RuleChanges } from './change-rules.ts';
import { redact, refusalOf, rulesHit } from './decide.ts';
import { createHitLog } from './hit-log.ts';
import { type Findings, type InspectParts, inspect, isSuspect } from './inspect.ts';
import { FilterWindow, reachOf } from './output-window.ts';
import { redaction } from './redact.ts';
import type { FilterRule } from './rule.ts';
import { compileRuleSet, type RuleSet } from './rule-set.ts';

export type DryRun = Findings &
  Readonly<{
    /** The error that the caller would get; null when the text would be sent. */
    refusal: ApiError | null;
    redacted: string;
  }>;

export type Filters = RuleChanges &
  Readonly<{
    /** Oldest first. */
    list(orgId: string): Promise<readonly FilterRule[]>;
    dryRun(orgId: string, text: string): Promise<DryRun>;
    /** Called by the pipeline. Throws the refusal. */
    review(request: CanonicalRequest, caller: Caller, notes: ReviewNotes): CanonicalRequest | Promise<CanonicalRequest>;
    /** Called by the pipeline: the rules that an answer to this caller is checked against. */
    reviewOutput(caller: Caller, notes: ReviewNotes): OutputReview | null | Promise<OutputReview | null>;
    close(): Promise<void>;
  }>;

type FiltersOptions = Readonly<{
  database: Database;
  notices: Notices;
  clock: Clock;
  logger: Logger;
  record: RuleChangeOptions['record'];
  recordHit(entry: AuditEntry): Promise<void>;
  pool?: PatternPool;
}>;

const NOTICE_TOPIC = 'content-filters';
/**
 * Characters times steps. At this much the dearest of the patterns that bench/src/guardrails-cost.ts knows takes nine
 * tenths of a millisecond; asking a thread takes less of this one's time, but has to wait for its turn.
 */
const IN_PLACE_COST_MAX = 20_000;

const INJECTIONS = compileLexiconLater(readInjections);

export function createFilters(options: FiltersOptions): Filters {
  const { database, notices, clock, logger } = options;
  const pool = options.pool ?? createPatternPool();
  const dataTemplates = createDataTemplates();
  const parts: InspectParts = {
    injections: INJECTIONS,
    matcher: { pool, inPlaceCostMax: IN_PLACE_COST_MAX },
    isThorough: false,
  };
  const load = async (orgId: string): Promise<RuleSet> => {
    const ruleSet = compileRuleSet(orgId, await readRules(database, orgId), dataTemplates);
    // Compiles the lexicon now, when the first organization needs it, and not in the middle of a scan.
    if (ruleSet.injections.length > 0) parts.injections.find('', 0, 0);
    return ruleSet;
  };
  const settings = createSettingsCache({ topic: NOTICE_TOPIC, load, notices, clock, logger });
  const hits = createHitLog({ record: options.recordHit, clock, logger });

  const noteFor = (caller: Caller, notes: ReviewNotes, of: ReviewEntry['of']) => (rule: FilterRule) => {
    hits.note(rule, caller);
    notes.note({ by: 'filter', name: rule.name, of, outcome: OUTCOMES[rule.action], reason: null });
  };
  const apply = (ruleSet: RuleSet, request: CanonicalRequest, caller: Caller, notes: ReviewNotes) => {
    const go = () => applyRules(ruleSet, request, parts, noteFor(caller, notes, 'input'));
    const preparing = ruleSet.rules.length === 0 ? undefined : prepareTexts(request, caller.accountId);
    return preparing === undefined ? go() : preparing.then(go);
  };

  return {
    list: (orgId) => store.listFilters(database, orgId),
    ...createRuleChanges({ ...options, pool, announce: settings.announce }),
    async dryRun(orgId, text) {
      const ruleSet = await load(orgId);
      const passages = [userPassage(text)];
      const inspection = await inspect(ruleSet, passages, { ...parts, isThorough: true });
      const spans = inspection.findings.filter(({ rule }) => rule.action === 'redact').map(({ span }) => span);
      const refusal = refusalOf(rulesHit(ruleSet, inspection), inspection);
      return { ...inspection, refusal, redacted: redaction(passages, spans)(text) };
    },
    review(request, caller, notes) {
      if (caller.accountId === caller.userId) return request;
      const ruleSet = settings.find(caller.accountId);
      if (ruleSet instanceof Promise) return ruleSet.then((loaded) => apply(loaded, request, caller, notes));
      return ruleSet.rules.length === 0 ? request : apply(ruleSet, request, caller, notes);
    },
    reviewOutput(caller, notes) {
      if (caller.accountId === caller.userId) return null;
      const open = ({ output }: RuleSet): OutputReview | null =>
        output === null ? null : createOutputReview(output, parts, noteFor(caller, notes, 'output'));
      const ruleSet = settings.find(caller.accountId);
      return ruleSet instanceof Promise ? ruleSet.then(open) : open(ruleSet);
    },
    async close() {
      await hits.close();
      pool.close();
    },
  };
}

const OUTCOMES = { block: 'blocked', redact: 'redacted', flag: 'flagged' } as const;

/** The request as it may go on; throws the refusal. */
function applyRules(
  ruleSet: RuleSet,
  request: CanonicalRequest,
  parts: InspectParts,
  note: (rule: FilterRule) => void,
): CanonicalRequest | Promise<CanonicalRequest> {
  const suspects = (text: string, origin: PassageOrigin): boolean => isSuspect(ruleSet, parts.injections, text, origin);
  if (ruleSet.regexes.length === 0 && looksClean(request, suspects, AT_ONCE_LENGTH / ruleSet.scannerCount))
    return request;
  const passages = passagesOf(request);
  if (passages.length === 0) refuseUnread(request);
  const conclude = (inspection: Findings): CanonicalRequest => {
    const hit = rulesHit(ruleSet, inspection);
    const refusal = refusalOf(hit, inspection);
    for (const rule of hit) if (refusal === null || rule.action === 'block') note(rule);
    if (refusal !== null) throw refusal;
    return redact(request, passages, inspection);
  };
  const inspecting = inspect(ruleSet, passages, parts);
  return inspecting instanceof Promise ? inspecting.then(conclude) : conclude(inspecting);
}

/** 503 when the rules cannot be read: going on without them could send what must not be sent. */
async function readRules(database: Database, orgId: string): Promise<readonly FilterRule[]> {
  try {
    return await store.listFilters(database, orgId);
  } catch (error) {
    const message = "Your organization's content filters cannot be read at the moment. Try again shortly.";
    throw temporaryOutage(message, 'the content filters of an organization could not be read', error);
  }
}

// An organization's rules on answers: the same rules and actions as on requests, over whole answers and over streams.
// Regular expressions that need a thread are checked when the whole answer has come.

const STREAMED_STEPS_MAX = 200;
/** What may be spent on looking at one stream as it grows: the larger of a time in all and a time for each letter. */
const WINDOW_MS_MAX = 100;
const WINDOW_MS_PER_LETTER = 0.002;

export function createOutputReview(
  ruleSet: RuleSet,
  parts: InspectParts,
  noteHit: (rule: FilterRule) => void,
): OutputReview {
  const noted = new Set<string>();
  const refusalOf = (inspection: Findings): string | null => {
    const hit = rulesHit(ruleSet, inspection);
    for (const rule of hit) {
      if (!noted.has(rule.id)) noteHit(rule);
      noted.add(rule.id);
    }
    return refusalWords(hit, inspection);
  };
  const whole = (texts: readonly AnswerText[]): ReviewedTexts | Promise<ReviewedTexts> => {
    const passages = texts.map(({ sent = '', parts: [first = '', ...others] }) => userPassage(sent + first, ...others));
    const sentLengths = texts.map(({ sent = '' }) => sent.length);
    const conclude = (inspection: Findings): ReviewedTexts => {
      const findings = inspection.findings.flatMap(({ rule, span }) => {
        const start = Math.max(span.start, sentLengths[span.passage] ?? 0);
        return span.end > start ? [{ rule, span: { ...span, start } }] : [];
      });
      const refusal = refusalOf({ ...inspection, findings });
      const spans = findings.filter(({ rule }) => rule.action === 'redact').map(({ span }) => span);
      const replace = redaction(passages, refusal === null ? spans : []);
      const left = texts.flatMap(({ sent = '', parts: of }) =>
        of.map((part, index) => (index === 0 ? replace(sent + part).slice(sent.length) : replace(part))),
      );
      return { texts: left, refusal };
    };
    const inspecting = inspect(ruleSet, passages, parts);
    return inspecting instanceof Promise ? inspecting.then(conclude) : conclude(inspecting);
  };
  const steps = ruleSet.regexes.reduce((sum, { programSize }) => sum + programSize, 0);
  if (steps > STREAMED_STEPS_MAX) return { whole, openWindow: null };
  const here: InspectParts = { ...parts, matcher: { ...parts.matcher, inPlaceCostMax: Number.POSITIVE_INFINITY } };
  const reach = reachOf(ruleSet);
  let spentMs = 0;
  let lettersCount = 0;
  const isSlow = (): boolean => spentMs > Math.max(WINDOW_MS_MAX, lettersCount * WINDOW_MS_PER_LETTER);
  const inspectHere = (text: string, freshLength: number): Findings => {
    const startedMs = performance.now();
    const inspection = inspect(ruleSet, [userPassage(text)], here);
    spentMs += performance.now() - startedMs;
    lettersCount += freshLength;
    // A window is short enough to be scanned at once.
    return inspection instanceof Promise ? { findings: [], undecided: ruleSet.rules } : inspection;
  };
  return { whole, openWindow: () => new FilterWindow({ reach, inspect: inspectHere, isSlow, refusalOf }) };
}

function refusalWords(hit: readonly FilterRule[], { undecided }: Findings): string | null {
  const blocking = hit.find(({ action }) => action === 'block');
  if (blocking !== undefined)
    return `The answer was blocked by the content filter "${blocking.name}" of your organization.`;
  const missing = undecided.find(({ action }) => action !== 'flag');
  if (missing === undefined) return null;
  return `The content filter "${missing.name}" of your organization could not be checked in time, so the answer was withheld.`;
}
