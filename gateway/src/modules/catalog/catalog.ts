// The catalog as the rest of the gateway sees it: a snapshot in memory, and the ways to change the document it is made
// from. The database is the only truth; every change, from whichever process, ends in the same reload.

import type { JsonObject } from '../../canonical/json.ts';
import type { Model, ResolvedModel, Route } from '../../canonical/model.ts';
import type { ConfigDocument } from '../../contract/config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SealingKey } from '../../platform/crypto.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { type Announcement, createAnnouncement } from './announcement.ts';
import {
  applyEdit,
  applyFile,
  applySecrets,
  type Change,
  type ChangeContext,
  type ChangeOptions,
  readFileDocument,
  restoreRevision,
} from './change-document.ts';
import type { ConfigSource } from './config-source.ts';
import { type Difference, describeDifference } from './difference.ts';
import { maskSecrets, openSecrets, restoreMaskedSecrets } from './document-secrets.ts';
import { type Families, readFamilies } from './families.ts';
import type { Variables } from './parse-document.ts';
import { type ResolveOptions, resolve } from './resolve.ts';
import { buildSnapshot, type CatalogSnapshot, routesOf } from './snapshot.ts';
import type { RevisionFacts } from './store.ts';
import * as store from './store.ts';
import { type DocumentRules, validateDocument } from './validate-document.ts';

/** How long a lost notice can leave this process behind. */
const RECHECK_MS = 30_000;

export type Catalog = Readonly<{
  current(): CatalogSnapshot;
  resolve(name: string, options: ResolveOptions): ResolvedModel;
  routesOf(model: Model): readonly Route[];
  /** The live document, API keys masked. */
  liveDocument(): ConfigDocument;
  /** Applies a file unless its content is that of the last one applied, or just what its references stand for now. */
  applyFile(source: ConfigSource, variables: Variables): Promise<Change>;
  /** Replaces values of the secrets that the file refers to by new ones. */
  replaceSecrets(source: ConfigSource, before: Variables, now: Variables): Promise<Change>;
  /**
   * Makes the next document from the live one (masked), with no other change in between. Masked API keys keep their
   * stored values. Throws `ConfigDocumentError`.
   */
  editDocument(edit: (live: ConfigDocument) => JsonObject, options?: ChangeOptions): Promise<Change>;
  /** The snapshot that an edit would give, without applying it. Throws `ConfigDocumentError`. */
  preview(edit: (live: ConfigDocument) => JsonObject): CatalogSnapshot;
  /** Makes an earlier revision live again, as a new one. Null when there is no such revision. */
  restoreRevision(revision: bigint, options?: ChangeOptions): Promise<Change | null>;
  listRevisions(page: Readonly<{ before: bigint | null; limit: number }>): Promise<readonly RevisionFacts[]>;
  /**
   * The difference between two revisions; `against` null compares with the one before. Null when there is no such
   * revision.
   */
  readRevision(revision: bigint, against: bigint | null): Promise<RevisionDetail | null>;
  close(): Promise<void>;
}>;

type CatalogOptions = Readonly<{
  database: Database;
  notices: Notices;
  sealingKey: SealingKey;
  /** The key of the digests by which files are told apart. */
  digestKey: Buffer;
  clock: Clock;
  logger: Logger;
  /** Variables whose values this process supplies each time it starts, such as the simulator's address. */
  lateVariables?: Variables;
}>;

type RevisionDetail = RevisionFacts &
  Difference &
  Readonly<{
    /** Secrets masked. */
    document: ConfigDocument;
    against: bigint | null;
  }>;

type Live = Readonly<{ document: ConfigDocument; snapshot: CatalogSnapshot }>;

/** What every function below works with: the options, and what is made from them once. */
type Context = CatalogOptions & ChangeContext & Readonly<{ families: Families }>;

export async function createCatalog(options: CatalogOptions): Promise<Catalog> {
  const context = makeContext(options);
  let live = await load(context);
  let reloading: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** One reload at a time, and only to a newer revision: revisions grow, so an older one never replaces a newer. */
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

  const write = async <Result extends Change | null>(
    change: (transaction: Queryable) => Promise<Result>,
  ): Promise<Result> => {
    const result = await options.database.transaction(change);
    // Also where nothing was applied, because another process may have applied the same file a moment ago.
    await reload();
    if (result?.isApplied === true) await announceQuietly(context, announce, live.snapshot.revision);
    return result;
  };

  return {
    current: () => live.snapshot,
    resolve: (name, resolveOptions) => resolve(live.snapshot, name, resolveOptions),
    routesOf: (model) => routesOf(live.snapshot, model),
    liveDocument: () => maskSecrets(live.document),
    applyFile: async (source, variables) =>
      toldOf(options.logger, source, await write((written) => applyFile(context, written, source, variables))),
    replaceSecrets: (source, before, now) =>
      write((transaction) => applySecrets(context, transaction, { source, before, now })),
    editDocument: (edit, given = {}) => write((transaction) => applyEdit(context, transaction, edit, given)),
    preview: (edit) => preview(context, live.document, edit),
    restoreRevision: (revision, given = {}) =>
      write((transaction) => restoreRevision(context, transaction, revision, given)),
    listRevisions: (page) => store.listRevisions(options.database, page),
    readRevision: (revision, against) => readRevisionDetail(context, revision, against),
    async close() {
      isClosed = true;
      stopRechecking();
      await reloading;
    },
  };
}

/** During a rolling upgrade an old process that starts once more brings its own file back. */
function toldOf(logger: Logger, { name: file }: ConfigSource, change: Change): Change {
  const { isFormer, revision } = change;
  if (isFormer) {
    logger.warn({ file, revision }, 'a config file is live again that another one had replaced, which others may have');
  }
  return change;
}

function makeContext(options: CatalogOptions): Context {
  const families = readFamilies();
  const lateVariables = options.lateVariables ?? {};
  return { ...options, families, lateVariables, rules: rulesOf(families, lateVariables) };
}

const rulesOf = (families: Families, lateVariables: Variables): DocumentRules => ({
  familyNames: [...families.names()],
  lateVariables,
});

/** Throws `ConfigDocumentError` for a file that cannot be applied, whatever is live. It needs no database. */
export function checkFile(source: ConfigSource, variables: Variables, lateVariables: Variables): void {
  readFileDocument({ rules: rulesOf(readFamilies(), lateVariables), lateVariables }, source, variables);
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

function preview(context: Context, live: ConfigDocument, edit: (live: ConfigDocument) => JsonObject): CatalogSnapshot {
  const { families, lateVariables, rules } = context;
  const document = restoreMaskedSecrets(validateDocument(edit(maskSecrets(live)), rules), live);
  return buildSnapshot({ revision: 0n, document, history: [], families, lateVariables });
}

async function readRevisionDetail(
  context: Context,
  revision: bigint,
  against: bigint | null,
): Promise<RevisionDetail | null> {
  const { database, sealingKey } = context;
  const stored = await store.readRevision(database, revision);
  const [facts] = await store.listRevisions(database, { before: revision + 1n, limit: 1 });
  if (stored === null || facts === undefined) return null;
  const [previous] = await store.listRevisions(database, { before: revision, limit: 1 });
  const otherNumber = against ?? previous?.revision ?? null;
  const other = otherNumber === null ? null : await store.readRevision(database, otherNumber);
  if (against !== null && other === null) return null;
  const { document } = openSecrets(stored.document, sealingKey);
  const difference = describeDifference(openSecrets(other?.document ?? {}, sealingKey).document, document);
  return { ...facts, ...difference, document: maskSecrets(document), against: otherNumber };
}

/** The change is committed: when the notice cannot be sent, the others see it at their next recheck. */
async function announceQuietly(context: Context, announce: Announcement['announce'], revision: bigint): Promise<void> {
  try {
    await announce(revision);
  } catch (error) {
    context.logger.warn({ error: asError(error) }, 'other processes could not be told of the new catalog');
  }
}
