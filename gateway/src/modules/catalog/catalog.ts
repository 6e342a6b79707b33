// The catalog as the rest of the gateway sees it: a snapshot that is always at hand, and the ways to change what it is
// made from. The database is the only truth; every change, from whichever process, ends in the same reload.

import type { JsonObject } from '../../canonical/json.ts';
import type { Model, ResolvedModel, Route } from '../../canonical/model.ts';
import type { ConfigDocument } from '../../contract/config.ts';
import type { Clock } from '../../platform/clock.ts';
import { deriveKey, hmacSha256Hex } from '../../platform/crypto.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Announcement, createAnnouncement } from './announcement.ts';
import { candidates } from './candidates.ts';
import type { ConfigSource } from './config-source.ts';
import { describeDifference } from './difference.ts';
import { maskSecrets, openSecrets, restoreMaskedSecrets, sealSecrets } from './document-secrets.ts';
import { type Families, readFamilies } from './families.ts';
import { interpolate, parseDocumentText, type Variables } from './parse-document.ts';
import { type ResolveOptions, resolve } from './resolve.ts';
import { buildSnapshot, type CatalogSnapshot } from './snapshot.ts';
import * as store from './store.ts';
import { type DocumentRules, validateDocument } from './validate-document.ts';

/** How long a lost notice can leave this process behind. */
const RECHECK_MS = 30_000;

export type Change = Readonly<{ isApplied: boolean; changes: readonly string[] }>;

export type Catalog = Readonly<{
  current(): CatalogSnapshot;
  resolve(name: string, options: ResolveOptions): ResolvedModel;
  routesOf(model: Model): readonly Route[];
  /** The live document, API keys masked. */
  liveDocument(): ConfigDocument;
  /** Applies a file whose content is not that of the last one applied; otherwise what is live stays live. */
  applyFile(source: ConfigSource, variables: Variables): Promise<Change>;
  /** Replaces the live document. Masked API keys keep their stored values. Throws `ConfigDocumentError`. */
  applyDocument(document: JsonObject): Promise<Change>;
  /** Makes the next document from the live one (masked), with no other change in between. */
  editDocument(edit: (live: ConfigDocument) => JsonObject): Promise<Change>;
  close(): Promise<void>;
}>;

export type CatalogOptions = Readonly<{
  database: Database;
  notices: Notices;
  /** Derived for the catalog alone. */
  secretKey: Buffer;
  clock: Clock;
  logger: Logger;
  /** Variables whose values this process supplies each time it starts, such as the simulator's address. */
  lateVariables?: Variables;
}>;

type Live = Readonly<{ document: ConfigDocument; snapshot: CatalogSnapshot }>;

/** What every function below works with: the options, and what is made from them once. */
type Context = CatalogOptions &
  Readonly<{
    families: Families;
    sealingKey: Buffer;
    digestKey: Buffer;
    rules: DocumentRules;
    lateVariables: Variables;
  }>;

export async function createCatalog(options: CatalogOptions): Promise<Catalog> {
  const context = makeContext(options);
  let live = await load(context);
  let reloading: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** One at a time, and only where there is something newer: revisions grow, so nothing older is ever put back. */
  const reload = (): Promise<void> => {
    const result = reloading.then(async () => {
      const latest = isClosed ? null : await store.readLatestRevisionNumber(options.database);
      if (latest !== null && latest > live.snapshot.revision) live = await load(context);
    });
    reloading = result.catch(() => undefined);
    return result;
  };
  const reloadQuietly = (): void => {
    reload().catch((error: unknown) =>
      options.logger.error({ error: asError(error) }, 'the catalog could not be reloaded'),
    );
  };
  const take = async (): Promise<bigint> => {
    await reload();
    return live.snapshot.revision;
  };
  const { announce } = createAnnouncement({ ...context, take });
  options.notices.onGap(reloadQuietly);
  const stopRechecking = options.clock.every(RECHECK_MS, reloadQuietly);

  const write = async (change: (transaction: Queryable) => Promise<Change>): Promise<Change> => {
    const result = await options.database.transaction(change);
    // Also where nothing was applied: another process may have applied the same file a moment ago.
    await reload();
    if (result.isApplied) await announceQuietly(context, announce, live.snapshot.revision);
    return result;
  };

  return {
    current: () => live.snapshot,
    resolve: (name, resolveOptions) => resolve(live.snapshot, name, resolveOptions),
    routesOf: (model) => candidates(live.snapshot, model),
    liveDocument: () => maskSecrets(live.document),
    applyFile: (source, variables) => write((transaction) => applyFile(context, transaction, source, variables)),
    applyDocument: (document) => write((transaction) => applyEdit(context, transaction, () => document)),
    editDocument: (edit) => write((transaction) => applyEdit(context, transaction, edit)),
    async close() {
      isClosed = true;
      stopRechecking();
      await reloading;
    },
  };
}

function makeContext(options: CatalogOptions): Context {
  const families = readFamilies();
  const lateVariables = options.lateVariables ?? {};
  return {
    ...options,
    families,
    lateVariables,
    sealingKey: deriveKey(options.secretKey, 'catalog.api-keys'),
    digestKey: deriveKey(options.secretKey, 'catalog.file-digest'),
    rules: { familyNames: [...families.names()], lateVariables },
  };
}

async function load(context: Context): Promise<Live> {
  const stored = await store.readLatestRevision(context.database);
  const history = await store.readModelHistory(context.database);
  const { document, unreadable } = openSecrets(stored?.document ?? {}, context.sealingKey);
  for (const place of unreadable) {
    context.logger.error({ place }, 'a stored API key was sealed with another TOLLGATE_SECRET; set the key again');
  }
  const { families, lateVariables } = context;
  const snapshot = buildSnapshot({ revision: stored?.revision ?? 0n, document, history, families, lateVariables });
  return { document, snapshot };
}

/** The change is committed by now: a notice that cannot be sent delays the others until they recheck. */
async function announceQuietly(context: Context, announce: Announcement['announce'], revision: bigint): Promise<void> {
  try {
    await announce(revision);
  } catch (error) {
    context.logger.warn({ error: asError(error) }, 'other processes could not be told of the new catalog');
  }
}

async function applyFile(
  context: Context,
  transaction: Queryable,
  source: ConfigSource,
  variables: Variables,
): Promise<Change> {
  const keptNames = new Set(Object.keys(context.lateVariables));
  const document = validateDocument(interpolate(parseDocumentText(source.text), variables, keptNames), context.rules);
  const fileDigest = hmacSha256Hex(context.digestKey, JSON.stringify(document));
  const fileSource = source.isBuiltIn ? 'built-in' : 'file';

  await store.lockForWriting(transaction);
  const stored = await store.readLatestRevision(transaction);
  if (stored !== null) {
    // The built-in catalog is for a first start. It never replaces what an operator has put in its place.
    const isForeign = source.isBuiltIn && stored.fileSource !== 'built-in';
    if (isForeign || stored.fileDigest === fileDigest) return { isApplied: false, changes: [] };
  }
  const live = openSecrets(stored?.document ?? {}, context.sealingKey).document;
  const sealed = sealSecrets(document, context.sealingKey);
  await store.addRevision(transaction, { document: sealed, source: fileSource, fileSource, fileDigest });
  return { isApplied: true, changes: describeDifference(live, document) };
}

async function applyEdit(
  context: Context,
  transaction: Queryable,
  edit: (live: ConfigDocument) => JsonObject,
): Promise<Change> {
  await store.lockForWriting(transaction);
  const stored = await store.readLatestRevision(transaction);
  const live = openSecrets(stored?.document ?? {}, context.sealingKey).document;
  const document = restoreMaskedSecrets(validateDocument(edit(maskSecrets(live)), context.rules), live);
  if (JSON.stringify(document) === JSON.stringify(live)) return { isApplied: false, changes: [] };
  await store.addRevision(transaction, {
    document: sealSecrets(document, context.sealingKey),
    source: 'operator',
    fileSource: stored?.fileSource ?? null,
    fileDigest: stored?.fileDigest ?? null,
  });
  return { isApplied: true, changes: describeDifference(live, document) };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
