// /v1/files: uploads that are run as a batch, and results. A file belongs to the person in the account whose key sent
// it; another person's is treated like one that does not exist.

import type { JsonObject } from '../../canonical/json.ts';
import { KEPT_SECONDS } from '../../contract/inference/batches.ts';
import { ApiError } from '../../errors/api-error.ts';
import { isForm, readForm } from '../../http/multipart.ts';
import { sendJson } from '../../http/respond.ts';
import type { Uploads } from '../../http/uploads.ts';
import type { Batches } from '../../modules/batches/batches.ts';
import { FILE_BYTES_MAX, type FileRow, type Files, type Owner } from '../../modules/batches/files.ts';
import { type AnswerRoom, takeUntilClosed } from '../../pipeline/answer-room.ts';
import { LIMIT_MAX, readPage } from '../page.ts';
import type { CallerHandler } from '../protect.ts';
import { fileObject, listObject } from './render.ts';
import { RESULTS_BYTES_HELD, sendLines } from './send-lines.ts';

type FileServices = Readonly<{
  files: Files;
  batches: Pick<Batches, 'results'>;
  uploads: Uploads;
  answerRoom: AnswerRoom;
}>;

const PURPOSE = 'batch';
const FORM = { filesMax: 1, fileBytesMax: FILE_BYTES_MAX, fieldsMax: 8, fieldBytesMax: 1_000 };
const NAME_LENGTH_MAX = 200;
/** More may be asked for than is shown at once. */
const PAGE_ASKED_MAX = 10_000;

export const uploadFile =
  ({ files, uploads }: FileServices): CallerHandler =>
  async (exchange, { accountId, userId }) => {
    if (!isForm(exchange)) throw new ApiError('invalid_content_type', 'Send a form with purpose and file.');
    const { body, files: sent } = await readForm(exchange, FORM, () => uploads.create(accountId));
    if (body.purpose !== PURPOSE) throw new ApiError('http_400', `purpose must be ${PURPOSE}.`);
    const file = sent.find(({ fieldName }) => fieldName === 'file');
    if (file === undefined) throw new ApiError('missing_required_field', 'file is required.');
    if (file.byteLength === 0) throw new ApiError('http_400', 'file must not be empty.');
    const keptMs = keptSecondsOf(body) * 1_000;
    const { byteLength } = file;
    const fileName = (file.fileName === '' ? 'batch.jsonl' : file.fileName).slice(0, NAME_LENGTH_MAX);
    const row = await files.create({
      ...{ accountId, userId, purpose: PURPOSE, fileName, byteLength, keptMs },
      open: () => file.open(),
    });
    sendJson(exchange, 200, fileObject(row));
  };

/** A form writes an object as `expires_after[seconds]`. */
function keptSecondsOf(body: JsonObject): number {
  const [anchor, seconds] = [body['expires_after[anchor]'], body['expires_after[seconds]']];
  if (anchor === undefined && seconds === undefined) return KEPT_SECONDS.max;
  if (anchor !== 'created_at') throw new ApiError('http_400', 'expires_after.anchor must be created_at.');
  const count = typeof seconds === 'string' && /^\d{1,9}$/.test(seconds) ? Number(seconds) : Number.NaN;
  if (count >= KEPT_SECONDS.min && count <= KEPT_SECONDS.max) return count;
  const range = `from ${KEPT_SECONDS.min} to ${KEPT_SECONDS.max}`;
  throw new ApiError('http_400', `expires_after.seconds must be a whole number ${range}.`);
}

export const listFiles =
  ({ files }: FileServices): CallerHandler =>
  async (exchange, { accountId, userId }) => {
    const query = new URLSearchParams(exchange.queryText);
    const { after, limit: asked } = readPage(query, 'after', PAGE_ASKED_MAX);
    const limit = Math.min(asked, LIMIT_MAX);
    const order = query.get('order') ?? 'desc';
    if (order !== 'asc' && order !== 'desc') throw new ApiError('http_400', 'order must be asc or desc.');
    const search = { accountId, userId, purpose: query.get('purpose'), after, isOldestFirst: order === 'asc' };
    const found = await files.list({ ...search, limit: limit + 1 });
    sendJson(exchange, 200, listObject(found.map(fileObject), limit));
  };

export const readFile =
  (services: FileServices): CallerHandler =>
  async (exchange, caller) => {
    sendJson(exchange, 200, fileObject(await find(exchange.params.id, caller, services)));
  };

export const deleteFile =
  (services: FileServices): CallerHandler =>
  async (exchange, caller) => {
    const { id } = await find(exchange.params.id, caller, services);
    await services.files.remove(id, caller);
    sendJson(exchange, 200, { id, object: 'file', deleted: true });
  };

export const readFileContent =
  (services: FileServices): CallerHandler =>
  async (exchange, caller) => {
    const file = await find(exchange.params.id, caller, services);
    const bytes = file.batchId === null ? 0 : Math.min(Number(file.bytes), RESULTS_BYTES_HELD);
    takeUntilClosed(services.answerRoom, caller.accountId, bytes, exchange.response);
    await sendLines(exchange, contentOf(file, services));
  };

function contentOf({ id, batchId, fileName }: FileRow, { files, batches }: FileServices): AsyncIterable<Buffer> {
  if (batchId === null) return files.read(id);
  return batches.results(batchId, { states: [fileName.endsWith('_errors.jsonl') ? 'failed' : 'succeeded'] });
}

async function find(id: string | undefined, owner: Owner, { files }: Pick<FileServices, 'files'>): Promise<FileRow> {
  const file = id === undefined ? null : await files.find(id, owner);
  if (file === null) throw new ApiError('http_404', 'There is no such file.');
  return file;
}
