// The guards of organizations: kept and changed by their administrators, and asked about the calls of their keys, after
// the operator's own. Where there are none, requests cost nothing here.

import type { OutputReview, ReviewedTexts } from '../../../canonical/answer.ts';
import type { AuditActor, AuditEntry } from '../../../canonical/audit-entry.ts';
import type { Caller } from '../../../canonical/caller.ts';
import type { ReviewNotes } from '../../../canonical/generation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { CanonicalRequest } from '../../../canonical/operation.ts';
import { passagesOf } from '../../../canonical/passage.ts';
import { prepareTexts } from '../../../canonical/request.ts';
import { ApiError, temporaryOutage } from '../../../errors/api-error.ts';
import { open, type SealingKey, seal } from '../../../platform/crypto.ts';
import type { Database, Notices, Queryable } from '../../../platform/db/database.ts';
import { withRoom } from '../../../platform/db/with-room.ts';
import { newId } from '../../../platform/ids.ts';
import type { AddressPurpose, Outbound } from '../../../platform/outbound/outbound.ts';
import { ForbiddenUrlError } from '../../../platform/outbound/outbound-error.ts';
import type { SealedColumn } from '../../../platform/sealed-column.ts';
import { createSettingsCache } from '../../../platform/settings-cache.ts';
import * as store from '../store/guards.ts';
import { type AskParts, ask, type Decision } from './ask.ts';
import { createDecisionLog } from './decision-log.ts';
import type { Guard, GuardStage, GuardText } from './guard.ts';
import { requestDirectly } from './platform-guards.ts';

const GUARDS_MAX = 5;
const NOTICE_TOPIC = 'guards';
const DECISIONS_SHOWN = 50;

/** As its organization may see it: everything but the address and the key. */
export type ShownGuard = Omit<store.GuardRow, 'url' | 'apiKey'>;
type NewGuard = Omit<store.GuardRow, 'id' | 'orgId' | 'host' | 'createdAt'>;
type GuardChange = Partial<
  Pick<NewGuard, 'name' | 'stages' | 'action' | 'timeoutMs' | 'isOpenOnFailure' | 'isEnabled'>
>;

export type Guards = Readonly<{
  list(orgId: string): Promise<readonly ShownGuard[]>;
  /** The newest first. */
  decisions(orgId: string): Promise<readonly store.DecisionRow[]>;
  create(orgId: string, guard: NewGuard, actor: AuditActor): Promise<ShownGuard>;
  change(orgId: string, id: string, change: GuardChange, actor: AuditActor): Promise<ShownGuard>;
  remove(orgId: string, id: string, actor: AuditActor): Promise<void>;
  /** Called by the pipeline. Throws the refusal. */
  review(request: CanonicalRequest, caller: Caller, notes: ReviewNotes): CanonicalRequest | Promise<CanonicalRequest>;
  /** Called by the pipeline: begins to ask the guards that are asked beside the call. */
  reviewOutput(
    caller: Caller,
    request: CanonicalRequest,
    notes: ReviewNotes,
  ): OutputReview | null | Promise<OutputReview | null>;
  close(): Promise<void>;
}>;

type GuardsOptions = Omit<AskParts, 'request'> &
  Readonly<{
    outbound: Pick<Outbound, 'request' | 'checkUrl'>;
    purpose: AddressPurpose;
    /** The operator's own guards, which are asked first, about everybody's calls. */
    platform(): readonly Guard[];
    database: Database;
    notices: Notices;
    /** Derived for this purpose alone. */
    secretKey: SealingKey;
    record(queryable: Queryable, entry: AuditEntry): Promise<void>;
  }>;

export function createGuards(options: GuardsOptions): Guards {
  const { database, notices, clock, logger } = options;
  const settings = createSettingsCache({
    topic: NOTICE_TOPIC,
    load: (orgId) => load(options, orgId),
    notices,
    clock,
    logger,
  });
  const log = createDecisionLog({ database, clock, logger });
  const { outbound, purpose } = options;
  const guarded: AskParts = {
    clock,
    logger,
    request: (call) => outbound.request({ ...call, purpose, method: 'POST' }),
  };
  const asker: Asker = { guarded, direct: { clock, logger, request: requestDirectly }, note: log.note };
  const guardsOf = (caller: Caller): readonly Guard[] | Promise<readonly Guard[]> => {
    const platform = options.platform();
    if (caller.accountId === caller.userId) return platform;
    const own = settings.find(caller.accountId);
    if (platform.length === 0) return own;
    return own instanceof Promise ? own.then((guards) => [...platform, ...guards]) : [...platform, ...own];
  };
  return {
    list: async (orgId) => (await store.listGuards(database, orgId)).map(shown),
    decisions: (orgId) => store.listDecisions(database, orgId, DECISIONS_SHOWN),
    ...createChanges(options, settings.announce),
    review(request, caller, notes) {
      const found = guardsOf(caller);
      const go = (guards: readonly Guard[]) => {
        const asked = at(guards, 'before');
        return asked.length === 0 ? request : askBefore(request, { caller, guards: asked, notes }, asker);
      };
      return found instanceof Promise ? found.then(go) : go(found);
    },
    reviewOutput(caller, request, notes) {
      const found = guardsOf(caller);
      const go = (guards: readonly Guard[]) => openReview(request, { caller, guards, notes }, asker);
      return found instanceof Promise ? found.then(go) : go(found);
    },
    close: log.close,
  };
}

const at = (guards: readonly Guard[], stage: GuardStage): readonly Guard[] =>
  guards.filter(({ stages }) => stages.includes(stage));

type Asker = Readonly<{
  /** For addresses that organizations gave. */
  guarded: AskParts;
  /** For those of the operator. */
  direct: AskParts;
  note(guard: Guard, caller: Caller, stage: GuardStage, decision: Decision): void;
}>;
type Whom = Readonly<{ caller: Caller; guards: readonly Guard[]; notes: ReviewNotes }>;

/** One after the other, each with the texts as the previous guard left them. */
async function askAll(
  { caller, guards, notes }: Whom,
  asked: Readonly<{ stage: GuardStage; texts: readonly GuardText[]; model: string }>,
  { guarded, direct, note }: Asker,
): Promise<ReviewedTexts> {
  let { texts } = asked;
  for (const guard of guards) {
    const decision = await ask(guard, { ...asked, texts }, guard.orgId === null ? direct : guarded);
    note(guard, caller, asked.stage, decision);
    const { outcome, reason } = decision;
    const by = guard.orgId === null ? 'operator' : 'guard';
    notes.note({ by, name: guard.name, of: asked.stage === 'after' ? 'output' : 'input', outcome, reason });
    if (decision.texts === null) return { texts: [], refusal: refusalOf(guard, decision) };
    const left = decision.texts;
    texts = texts.map(({ origin }, index) => ({ origin, text: left[index] ?? '' }));
  }
  return { texts: texts.map(({ text }) => text), refusal: null };
}

function refusalOf({ name, orgId }: Guard, { outcome, reason }: Decision): string {
  const guard = `the guard "${name}" of ${orgId === null ? 'this gateway' : 'your organization'}`;
  if (outcome === 'no_verdict') return `${guard.replace(/^t/, 'T')} gave no verdict in time.`;
  return `It was blocked by ${guard}${reason === null ? '' : ` (${reason})`}.`;
}

async function askBefore(request: CanonicalRequest, whom: Whom, asker: Asker): Promise<CanonicalRequest> {
  await prepareTexts(request, whom.caller.accountId);
  const texts = textsOf(request);
  if (texts.length === 0) return request;
  const judged = await askAll(whom, { stage: 'before', texts, model: request.modelName ?? '' }, asker);
  if (judged.refusal !== null) throw new ApiError('content_filter', `The prompt was not sent. ${judged.refusal}`);
  if (judged.texts.every((text, index) => text === texts[index]?.text)) return request;
  let next = 0;
  const changed = request.withTexts((part) => {
    const text = judged.texts[next] ?? part;
    next += 1;
    return text;
  });
  // A limit on messages counts those that were sent.
  return changed.operation === 'chat' && request.operation === 'chat'
    ? { ...changed, messageCount: request.messageCount }
    : changed;
}

/** Every part of every passage, in the order of `withTexts`. */
const textsOf = (request: CanonicalRequest): readonly GuardText[] =>
  passagesOf(request).flatMap(({ origin, parts }) => parts.map((text) => ({ origin, text })));

function openReview(request: CanonicalRequest, { caller, guards, notes }: Whom, asker: Asker): OutputReview | null {
  const beside = at(guards, 'beside');
  const after = at(guards, 'after');
  if (beside.length === 0 && after.length === 0) return null;
  const model = request.modelName ?? '';
  const askBeside = async (): Promise<ReviewedTexts> => {
    await prepareTexts(request, caller.accountId);
    return askAll({ caller, guards: beside, notes }, { stage: 'beside', texts: textsOf(request), model }, asker);
  };
  const pending = beside.length === 0 ? null : askBeside();
  // When the call ends before the verdict has come, nobody waits for it.
  pending?.catch(() => {});
  return {
    openWindow: null,
    async whole(said) {
      const texts = said.flatMap(({ parts }) => parts);
      const judged = await pending;
      if (judged !== null && judged.refusal !== null)
        return { texts, refusal: `The answer was withheld. ${judged.refusal}` };
      const answer = { stage: 'after', texts: texts.map((text) => ({ origin: 'assistant', text })), model } as const;
      const own = await askAll({ caller, guards: after, notes }, answer, asker);
      return own.refusal === null ? own : { texts, refusal: `The answer was withheld. ${own.refusal}` };
    },
  };
}

async function load({ database, secretKey }: GuardsOptions, orgId: string): Promise<readonly Guard[]> {
  const rows = await store.listGuards(database, orgId).catch((error: unknown) => {
    const message = "Your organization's guards cannot be read at the moment. Try again shortly.";
    throw temporaryOutage(message, 'the guards of an organization could not be read', error);
  });
  return rows
    .filter(({ isEnabled }) => isEnabled)
    .map((row) => ({
      ...row,
      // An address that was sealed with another secret becomes empty, and the guard counts as not answering.
      url: open(secretKey, row.url, place(row.id)) ?? '',
      apiKey: row.apiKey === null ? null : open(secretKey, row.apiKey, `${place(row.id)} key`),
    }));
}

const place = (id: string): string => `guard ${id}`;

const shown = ({ url: _url, apiKey: _key, ...row }: store.GuardRow): ShownGuard => row;

const logged = ({
  name,
  form,
  host,
  stages,
  action,
  timeoutMs,
  isOpenOnFailure,
  isEnabled,
}: ShownGuard): JsonObject => ({
  ...{ name, form, host, stages: [...stages], action, timeoutMs },
  onFailure: isOpenOnFailure ? 'allow' : 'block',
  enabled: isEnabled,
});

function createChanges(
  options: GuardsOptions,
  announce: (orgId: string) => Promise<void>,
): Pick<Guards, 'create' | 'change' | 'remove'> {
  const { database, record, secretKey, clock } = options;
  const target = (id: string) => ({ targetType: 'guard', targetId: id });
  const locked = async (transaction: Queryable, orgId: string, id: string): Promise<store.GuardRow> => {
    const row = await store.lockGuard(transaction, orgId, id);
    if (row === null) throw new ApiError('http_404', 'There is no such guard.');
    return row;
  };
  return {
    async create(orgId, guard, actor) {
      const host = await checkUrl(options, guard.url);
      const id = newId('grd');
      const url = seal(secretKey, guard.url, place(id));
      const apiKey = guard.apiKey === null ? null : seal(secretKey, guard.apiKey, `${place(id)} key`);
      const row = { ...guard, id, orgId, host, url, apiKey, createdAt: new Date(clock.nowMs()) };
      await withRoom(database, orgId, async (transaction) => {
        if (!(await store.insertGuard(transaction, row, GUARDS_MAX)))
          throw new ApiError('http_409', `An organization has at most ${GUARDS_MAX} guards. Delete one first.`);
        await record(transaction, {
          orgId,
          action: 'org.guard.create',
          actor,
          ...target(id),
          after: logged(shown(row)),
        });
      });
      await announce(orgId);
      return shown(row);
    },
    async change(orgId, id, change, actor) {
      const after = await database.transaction(async (transaction) => {
        const before = await locked(transaction, orgId, id);
        const row = { ...before, ...change };
        await store.changeGuard(transaction, row);
        const states = { before: logged(shown(before)), after: logged(shown(row)) };
        await record(transaction, { orgId, action: 'org.guard.update', actor, ...target(id), ...states });
        return row;
      });
      await announce(orgId);
      return shown(after);
    },
    async remove(orgId, id, actor) {
      await database.transaction(async (transaction) => {
        const before = await locked(transaction, orgId, id);
        await store.deleteGuard(transaction, orgId, id);
        const entry = { before: logged(shown(before)) };
        await record(transaction, { orgId, action: 'org.guard.delete', actor, ...target(id), ...entry });
      });
      await announce(orgId);
    },
  };
}

async function checkUrl({ outbound, purpose }: GuardsOptions, url: string): Promise<string> {
  try {
    return (await outbound.checkUrl(url, { ...purpose, mustResolve: true })).host;
  } catch (error) {
    if (!(error instanceof ForbiddenUrlError)) throw error;
    throw new ApiError('http_400', `url: ${error.message}.`, { cause: error });
  }
}

const sealedIn = { table: 'guards', key: { id: 'text' }, type: 'text', purposes: ['guards'] } as const;

export const sealedColumns: readonly SealedColumn[] = [
  { ...sealedIn, column: 'url', boundTo: ({ id = '' }) => place(id) },
  { ...sealedIn, column: 'api_key', boundTo: ({ id = '' }) => `${place(id)} key` },
];
