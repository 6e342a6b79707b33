// The ways to change the live config document, each in one transaction: read the live one under a lock, make the next,
// add it as a revision. A trial leaves out only the last step, so it shows what would be applied.

import type { JsonObject } from '../../canonical/json.ts';
import type { ConfigDocument } from '../../contract/config.ts';
import { ApiError } from '../../errors/api-error.ts';
import { hmacSha256Hex, type SealingKey } from '../../platform/crypto.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { ConfigDocumentError, problemAt } from './config-problem.ts';
import type { ConfigSource } from './config-source.ts';
import { type Difference, describeDifference } from './difference.ts';
import { maskSecrets, openSecrets, restoreMaskedSecrets, sealSecrets } from './document-secrets.ts';
import { withNewValues, withValuesOf } from './file-values.ts';
import { interpolate, referencePaths, type Variables } from './parse-document.ts';
import * as store from './store.ts';
import { type DocumentRules, validateDocument } from './validate-document.ts';

export type Change = Difference &
  Readonly<{
    isApplied: boolean;
    /** The revision that is live after the change. */
    revision: bigint;
    /** The document that is live after the change, or would be after a trial; secrets masked. */
    document: ConfigDocument;
    /** A file is live again that another had replaced, which the operator may want or not. */
    isFormer?: boolean;
  }>;

export type ChangeOptions = Readonly<{
  /** Who makes the change; an operator where it is left out. */
  author?: string;
  note?: string | null;
  /** Shows what would change and changes nothing. */
  isTrial?: boolean;
  /** The revision that the change was made for: refused when another one is live by now. */
  expectedRevision?: bigint | null;
  /** Compares the live document with the next, and throws `ConfigDocumentError` to refuse the change. */
  check?: (live: ConfigDocument, next: ConfigDocument) => void;
}>;

export type ChangeContext = Readonly<{
  sealingKey: SealingKey;
  digestKey: Buffer;
  rules: DocumentRules;
  lateVariables: Variables;
}>;

type NextRevision = Readonly<{
  document: ConfigDocument;
  source: store.RevisionSource;
  fileSource: 'file' | 'built-in' | null;
  fileDigest: string | null;
  restored?: bigint;
}>;

type Live = Readonly<{ stored: store.StoredRevision | null; document: ConfigDocument }>;

const DEFAULT_AUTHOR = 'operator';

/** Reads the live document and locks out other writers until the transaction ends. */
async function readLive(context: ChangeContext, transaction: Queryable, options: ChangeOptions): Promise<Live> {
  await store.lockForWriting(transaction);
  const stored = await store.readLatestRevision(transaction);
  const expected = options.expectedRevision ?? null;
  if (expected !== null && expected !== (stored?.revision ?? 0n)) {
    throw new ApiError(
      'http_409',
      `The config has changed meanwhile: revision ${stored?.revision ?? 0n} is live, not ${expected}. Look at the difference again.`,
    );
  }
  return { stored, document: openSecrets(stored?.document ?? {}, context.sealingKey).document };
}

async function addRevision(
  context: ChangeContext,
  transaction: Queryable,
  change: Readonly<{ live: Live; next: NextRevision; options: ChangeOptions }>,
): Promise<Change> {
  const { live, next, options } = change;
  const difference = describeDifference(live.document, next.document);
  const isTrial = options.isTrial === true;
  const revision = isTrial
    ? (live.stored?.revision ?? 0n)
    : await store.addRevision(transaction, {
        ...next,
        document: sealSecrets(next.document, context.sealingKey),
        author: options.author ?? DEFAULT_AUTHOR,
        note: options.note ?? null,
        restored: next.restored ?? null,
        changes: difference.changes,
      });
  return { ...difference, isApplied: !isTrial, revision, document: maskSecrets(next.document) };
}

function unchanged({ stored, document }: Live): Change {
  const revision = stored?.revision ?? 0n;
  return { changes: [], removals: [], isApplied: false, revision, document: maskSecrets(document) };
}

/**
 * Applies a file unless its content is that of the last one applied. Where an operator changed something since and only
 * references of the file stand for something else now, these values alone are replaced.
 */
export async function applyFile(
  context: ChangeContext,
  transaction: Queryable,
  source: ConfigSource,
  variables: Variables,
): Promise<Change> {
  const document = readFileDocument(context, source, variables);
  const fileDigest = digestOf(context, document);
  const fileSource = source.isBuiltIn ? 'built-in' : 'file';

  const live = await readLive(context, transaction, {});
  if (live.stored !== null) {
    // The built-in catalog is for a first start. It never replaces a document of an operator.
    const isForeign = source.isBuiltIn && (live.stored.fileSource !== 'built-in' || live.stored.isEdited);
    if (isForeign || live.stored.fileDigest === fileDigest) return unchanged(live);
    if (live.stored.isEdited) {
      // Older versions kept no revision of the file alone when a secret changed; then the live document may tell.
      const before = [await readLatestFile(context, transaction), live.document];
      const change = await replaceValues(context, transaction, { live, source, document, before });
      if (change !== null) return change;
    }
  }
  const next = { document, source: fileSource, fileSource, fileDigest } as const;
  const isFormer = await store.knowsFile(transaction, fileDigest);
  const options = { author: source.name, note: isFormer ? FORMER_NOTE : null };
  return { ...(await addRevision(context, transaction, { live, next, options })), isFormer };
}

const FORMER_NOTE = 'This file was live before, and another one had replaced it.';

/** Throws `ConfigDocumentError`. */
export function readFileDocument(
  { rules, lateVariables }: Pick<ChangeContext, 'rules' | 'lateVariables'>,
  source: ConfigSource,
  variables: Variables,
): ConfigDocument {
  return validateDocument(interpolate(source.document, variables, new Set(Object.keys(lateVariables))), rules);
}

const digestOf = ({ digestKey }: ChangeContext, document: ConfigDocument): string =>
  hmacSha256Hex(digestKey, JSON.stringify(document));

type NewValues = Readonly<{
  live: Live;
  source: ConfigSource;
  /** The file with the new values. */
  document: ConfigDocument;
  /** The file with values that it may have had when it was applied last; its digest tells. */
  before: readonly ConfigDocument[];
}>;

/**
 * Only the values change: what an operator did after the file was applied stays, and at a restart the file still counts
 * as applied. Null where the file differs in more than that, and where the new values do not fit what an operator did.
 */
async function replaceValues(context: ChangeContext, transaction: Queryable, given: NewValues): Promise<Change | null> {
  const { live, source } = given;
  const file = { document: given.document, places: referencePaths(source.document) };
  const before = given.before
    .map((document) => withValuesOf(file, document))
    .find((document) => digestOf(context, document) === live.stored?.fileDigest);
  if (before === undefined) return null;
  const document = withNewValues(live.document, file, before);
  if (!isValid(context, document)) return null;

  const fileDigest = digestOf(context, file.document);
  const isEdited = live.stored?.isEdited === true;
  const next = { document, source: isEdited ? 'operator' : 'file', fileSource: 'file', fileDigest } as const;
  const author = source.name;
  if (isEdited) {
    // The next change of a value has to tell what came from the file from what an operator set.
    const note = 'The file with new values, without what was changed since it was applied. The next revision has both.';
    const alone = { ...next, document: file.document, source: 'file' } as const;
    await addRevision(context, transaction, { live, next: alone, options: { author, note } });
  }
  const note = 'Variables or secrets of the file have new values.';
  return addRevision(context, transaction, { live, next, options: { author, note } });
}

async function readLatestFile({ sealingKey }: ChangeContext, transaction: Queryable): Promise<ConfigDocument> {
  return openSecrets((await store.readLatestFile(transaction))?.document ?? {}, sealingKey).document;
}

function isValid({ rules }: ChangeContext, document: ConfigDocument): boolean {
  try {
    validateDocument(document, rules);
    return true;
  } catch (error) {
    if (error instanceof ConfigDocumentError) return false;
    throw error;
  }
}

/** Secrets that the file refers to have new values. Where another file or other values are live by now, nothing changes. */
export async function applySecrets(
  context: ChangeContext,
  transaction: Queryable,
  { source, ...values }: Readonly<{ source: ConfigSource; before: Variables; now: Variables }>,
): Promise<Change> {
  const document = readFileDocument(context, source, values.now);
  const before = [readFileDocument(context, source, values.before)];
  const live = await readLive(context, transaction, {});
  return (await replaceValues(context, transaction, { live, source, document, before })) ?? unchanged(live);
}

/** Makes the next document from the live one, whose secrets the edit sees masked. */
export async function applyEdit(
  context: ChangeContext,
  transaction: Queryable,
  edit: (live: ConfigDocument) => JsonObject,
  options: ChangeOptions,
): Promise<Change> {
  const live = await readLive(context, transaction, options);
  const edited = validateDocument(edit(maskSecrets(live.document)), context.rules);
  const document = restoreMaskedSecrets(edited, live.document);
  if (JSON.stringify(document) === JSON.stringify(live.document)) return unchanged(live);
  options.check?.(maskSecrets(live.document), maskSecrets(document));
  return addRevision(context, transaction, { live, next: { document, ...fromOperator(live) }, options });
}

/** Makes an earlier revision live again, exactly as it was, secrets included. Null when there is no such revision. */
export async function restoreRevision(
  context: ChangeContext,
  transaction: Queryable,
  revision: bigint,
  options: ChangeOptions,
): Promise<Change | null> {
  const live = await readLive(context, transaction, options);
  const earlier = await store.readRevision(transaction, revision);
  if (earlier === null) return null;
  const { document, unreadable } = openSecrets(earlier.document, context.sealingKey);
  if (unreadable.length > 0) {
    const problem = 'was sealed with another TOLLGATE_SECRET in that revision and cannot be brought back';
    throw new ConfigDocumentError(unreadable.map((place) => problemAt([place, 'api_key'], problem)));
  }
  validateDocument(document, context.rules);
  if (JSON.stringify(document) === JSON.stringify(live.document)) return unchanged(live);
  options.check?.(maskSecrets(live.document), maskSecrets(document));
  const next = { document, ...fromOperator(live), restored: revision };
  return addRevision(context, transaction, { live, next, options });
}

/** The file that was applied last is remembered, so that a restart does not undo what an operator did after it. */
const fromOperator = ({ stored }: Live): Pick<NextRevision, 'source' | 'fileSource' | 'fileDigest'> => ({
  source: 'operator',
  fileSource: stored?.fileSource ?? null,
  fileDigest: stored?.fileDigest ?? null,
});
