// Customers' own upstream keys: kept sealed, shown masked, checked now and then, and in memory for the calls that use
// them. Code that changes one does so in its own transaction and announces it after the commit.

import type { OwnUpstream, OwnUpstreams, Provider } from '../../canonical/model.ts';
import { ApiError, temporaryOutage } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SealingKey } from '../../platform/crypto.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { reportFailure } from '../../platform/db/report-failure.ts';
import { createSharedGate } from '../../platform/gate.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { createSettingsCache } from '../../platform/settings-cache.ts';
import { HEALTHY, type Health, type HealthFailure, unhealthy } from './health.ts';
import { checkHealth, type ModelLister, type Probe, probe } from './probe.ts';
import { maskKey, openKey, sealKey } from './sealed-key.ts';
import * as store from './store.ts';

/** A key as its organization may see it: everything but the secret. */
export type ByokKey = Readonly<Omit<store.ByokKeyRow, 'sealedApiKey'>>;

type NewByokKey = Readonly<{
  orgId: string;
  name: string;
  baseUrl: string;
  apiKey: string;
  protocol: string;
  fallbackMode: store.FallbackMode;
  isEnabled: boolean;
  scopedKeyIds: readonly string[];
  mappings: readonly store.Mapping[];
}>;

/** A field that is left out stays as it is. */
export type ByokKeyChanges = Partial<
  Pick<NewByokKey, 'name' | 'baseUrl' | 'protocol' | 'fallbackMode' | 'isEnabled' | 'scopedKeyIds' | 'mappings'>
>;

export type Byok = Readonly<{
  list(orgId: string): Promise<readonly ByokKey[]>;
  find(orgId: string, id: string): Promise<ByokKey | null>;
  /** 409 when the organization has as many as it may have. */
  create(transaction: Queryable, key: NewByokKey): Promise<ByokKey>;
  /** Applies the change to the current key, with no other change in between. Null when there is no such key. */
  change(
    transaction: Queryable,
    place: HealthPlace,
    changesTo: (key: ByokKey) => ByokKeyChanges,
  ): Promise<Readonly<{ before: ByokKey; after: ByokKey }> | null>;
  /** Removes the key with its mappings. Null when there is no such key. */
  remove(transaction: Queryable, place: HealthPlace): Promise<ByokKey | null>;
  /** Those of the ids that are not keys of the organization. */
  foreignKeyIds(orgId: string, keyIds: readonly string[]): Promise<readonly string[]>;
  /** Calls from now on see the change, in every process as soon as the notice reaches it. */
  announce(orgId: string): Promise<void>;
  /** Asks the upstream now and stores the result. Null when there is no such key. */
  check(place: HealthPlace): Promise<Probe | null>;
  /** Checks some of the keys that have not been checked for a while; answers how many. */
  checkDue(): Promise<number>;
  /** The own upstreams for an account's calls; without I/O once they are known. 503 when they cannot be read. */
  upstreamsOf(accountId: string): OwnUpstreams | Promise<OwnUpstreams>;
  /** Reports how a call went; null means well. */
  report(upstream: OwnUpstream, failure: HealthFailure | null): void;
}>;

type ByokOptions = Readonly<{
  database: Database;
  notices: Notices;
  /** Derived for this purpose alone. */
  sealingKey: SealingKey;
  outbound: Pick<Outbound, 'request'>;
  lister: ModelLister;
  clock: Clock;
  logger: Logger;
}>;

const NOTICE_TOPIC = 'byok';
const ORG_PREFIX = 'org-';
const KEYS_MAX = 100;
const CHECK_AGAIN_SECONDS = 600;
const CHECKS_AT_ONCE = 8;
/** Each may have megabytes in memory for as long as the upstream takes. */
const PROBES = { atOnceMax: 8, ofOwnerMax: 2 };

const NONE: OwnUpstreams = new Map();

export function createByok(options: ByokOptions): Byok {
  const { database, notices, sealingKey, clock, logger } = options;
  const load = (orgId: string) => loadUpstreams(options, orgId);
  const settings = createSettingsCache({ topic: NOTICE_TOPIC, load, notices, clock, logger });
  const probing = createSharedGate(PROBES);
  const reports = new HealthReports((place, health) => writeQuietly(options, place, health), clock);

  return {
    list: async (orgId) => (await store.listKeys(database, orgId)).map(withoutSecret),
    async find(orgId, id) {
      const row = await store.findKey(database, orgId, id);
      return row === null ? null : withoutSecret(row);
    },
    create: (transaction, key) => create(transaction, key, { sealingKey, createdAt: new Date(clock.nowMs()) }),
    change,
    async remove(transaction, { orgId, id }) {
      const row = await store.findKey(transaction, orgId, id);
      return row !== null && (await store.deleteKey(transaction, orgId, id)) ? withoutSecret(row) : null;
    },
    async foreignKeyIds(orgId, keyIds) {
      if (keyIds.length === 0) return [];
      const owned = await store.ownedKeyIds(database, orgId, keyIds);
      return keyIds.filter((id) => !owned.has(id));
    },
    announce: settings.announce,
    async check({ orgId, id }) {
      const row = await store.findKey(database, orgId, id);
      if (row === null) return null;
      const probed = await probing(orgId, () => probe(upstreamOf(row, options), options));
      await keepHealth(options, row, probed.health);
      return probed;
    },
    async checkDue() {
      const due = { now: new Date(clock.nowMs()), againAfterSeconds: CHECK_AGAIN_SECONDS, limit: CHECKS_AT_ONCE };
      const rows = await store.claimDue(database, due);
      const check = async (row: store.ByokKeyRow): Promise<void> =>
        keepHealth(options, row, await checkHealth(upstreamOf(row, options), options));
      await Promise.all(rows.map(check));
      return rows.length;
    },
    upstreamsOf: (accountId) => (accountId.startsWith(ORG_PREFIX) ? settings.find(accountId) : NONE),
    report({ orgId, byokKeyId }, failure) {
      reports.add({ orgId, id: byokKeyId }, failure === null ? HEALTHY : unhealthy(failure));
    },
  };
}

const withoutSecret = ({ sealedApiKey: _, ...key }: store.ByokKeyRow): ByokKey => key;

async function create(
  transaction: Queryable,
  key: NewByokKey,
  made: Readonly<{ sealingKey: SealingKey; createdAt: Date }>,
): Promise<ByokKey> {
  const { apiKey, mappings, ...fields } = key;
  const id = newId('byok');
  const { orgId } = key;
  const sealedApiKey = sealKey(made.sealingKey, apiKey, { orgId, id });
  const row = { ...fields, id, sealedApiKey, keyMask: maskKey(apiKey), createdAt: made.createdAt };
  if (!(await store.insertKey(transaction, row, KEYS_MAX))) {
    throw new ApiError(
      'http_409',
      `An organization has at most ${KEYS_MAX} keys of its own upstreams. Delete one first.`,
    );
  }
  await store.replaceMappings(transaction, { orgId, id }, mappings);
  const { sealedApiKey: _, ...shown } = row;
  const health = { healthStatus: 'unknown' as const, checkedAt: null, lastError: null };
  return { ...shown, ...health, scopedKeyIds: [...key.scopedKeyIds], mappings: [...mappings] };
}

async function change(
  transaction: Queryable,
  place: HealthPlace,
  changesTo: (key: ByokKey) => ByokKeyChanges,
): Promise<Readonly<{ before: ByokKey; after: ByokKey }> | null> {
  const { orgId, id } = place;
  const row = (await store.lockKey(transaction, orgId, id)) ? await store.findKey(transaction, orgId, id) : null;
  if (row === null) return null;
  const before = withoutSecret(row);
  const { mappings, scopedKeyIds, ...fields } = changesTo(before);
  const after: store.ByokKeyRow = {
    ...row,
    ...fields,
    scopedKeyIds: [...(scopedKeyIds ?? row.scopedKeyIds)],
    mappings: [...(mappings ?? row.mappings)],
  };
  await store.changeKey(transaction, after);
  if (mappings !== undefined) await store.replaceMappings(transaction, place, mappings);
  return { before, after: withoutSecret(after) };
}

const upstreamOf = (row: store.ByokKeyRow, { sealingKey }: ByokOptions) => ({
  baseUrl: row.baseUrl,
  protocol: row.protocol,
  apiKey: openKey(sealingKey, row.sealedApiKey, row) ?? '',
});

const keepHealth = ({ database, clock }: ByokOptions, row: store.ByokKeyRow, health: Health): Promise<void> =>
  store.setHealth(database, row, { ...health, checkedAt: new Date(clock.nowMs()) });

/** A report that is lost is made again by the next call or check. */
function writeQuietly({ database, clock, logger }: ByokOptions, place: HealthPlace, health: Health): void {
  const checkedAt = new Date(clock.nowMs());
  store.setHealth(database, place, { ...health, checkedAt }).catch((error: unknown) => {
    reportFailure(logger, error, 'the health of an upstream was not kept');
  });
}

// What calls show about the health of own upstreams. Calls are many and mostly show the same, so a change is written
// soon, a confirmation once a minute, and no call waits for either.

type HealthPlace = Readonly<{ orgId: string; id: string }>;

const CHANGE_MS = 1_000;
const CONFIRMATION_MS = 60_000;
const WRITTEN_MAX = 20_000;

type Written = Readonly<{ health: Health; atMs: number }>;

class HealthReports {
  readonly #write: (place: HealthPlace, health: Health) => void;
  readonly #clock: Clock;
  readonly #written = new RecentMap<Written>({ sizeMax: WRITTEN_MAX });

  constructor(write: (place: HealthPlace, health: Health) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  add(place: HealthPlace, health: Health): void {
    const nowMs = this.#clock.monotonicMs();
    const written = this.#written.get(place.id);
    if (written !== undefined) {
      const isNews = written.health.lastError !== health.lastError || written.health.status !== health.status;
      if (nowMs - written.atMs < (isNews ? CHANGE_MS : CONFIRMATION_MS)) return;
    }
    this.#written.set(place.id, { health, atMs: nowMs });
    this.#write(place, health);
  }
}

// Reads an organization's own upstreams and arranges them for calls: by model, in the order of trying, with the keys
// opened. Those that are switched off are left out.

type LoadOptions = Readonly<{ database: Database; sealingKey: SealingKey; logger: Logger }>;

/** One name for all of them in records and metrics, because there are as many as customers make. */
const PROVIDER_NAME = 'byok';

/** 503 when they cannot be read: going on without them could cost money, or send a prompt where it must not go. */
async function loadUpstreams(options: LoadOptions, orgId: string): Promise<OwnUpstreams> {
  try {
    const rows = await store.listKeys(options.database, orgId);
    return arrange(
      rows.filter(({ isEnabled }) => isEnabled).map((row) => ({ row, provider: providerOf(row, options) })),
    );
  } catch (error) {
    const message = "Your organization's own upstreams cannot be read at the moment. Try again shortly.";
    throw temporaryOutage(message, 'the own upstreams of an organization could not be read', error);
  }
}

/** A key that cannot be opened stays in the list as an empty one: leaving it out would turn a strict choice off. */
function providerOf(row: store.ByokKeyRow, { sealingKey, logger }: LoadOptions): Provider {
  const apiKey = openKey(sealingKey, row.sealedApiKey, row);
  if (apiKey === null) {
    logger.error({ byokKeyId: row.id }, "a customer's upstream key was sealed with another TOLLGATE_SECRET");
  }
  const { protocol, baseUrl } = row;
  return {
    name: PROVIDER_NAME,
    protocol,
    baseUrl,
    apiKey: apiKey ?? '',
    dataCollection: 'deny',
    speaksResponses: false,
  };
}

/** Upstreams for certain keys go before those for everybody, and older ones before newer. */
function arrange(keys: readonly Readonly<{ row: store.ByokKeyRow; provider: Provider }>[]): OwnUpstreams {
  const upstreams = new Map<string, OwnUpstream[]>();
  for (const isScoped of [true, false]) {
    for (const { row, provider } of keys) {
      if (row.scopedKeyIds.length > 0 !== isScoped) continue;
      const scopedKeyIds = isScoped ? new Set(row.scopedKeyIds) : null;
      const facts = {
        byokKeyId: row.id,
        orgId: row.orgId,
        provider,
        isStrict: row.fallbackMode === 'strict',
        scopedKeyIds,
      };
      for (const { model, upstreamModel, enabled } of row.mappings) {
        if (!enabled) continue;
        const known = upstreams.get(model);
        if (known === undefined) upstreams.set(model, [{ ...facts, upstreamModel }]);
        else known.push({ ...facts, upstreamModel });
      }
    }
  }
  return upstreams;
}
