// Text files that a request holds in base64: reviewers read them as the texts that they are, and a text that they have
// changed is encoded as the file was. Decoding takes milliseconds for a megabyte, so large files are decoded in turns
// beforehand; what was decoded is kept only as long as memory is not needed for something else.

import { isAscii, isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import type { ReplacePart } from '../canonical/passage.ts';
import { LongTask } from '../platform/turns.ts';
import { dataUriPayloadStart } from './media-address.ts';

type TextEncoding = 'utf8' | 'utf16le' | 'latin1';
type FileText = Readonly<{ data: string; text: string; encoding: TextEncoding }>;
type EncodedFile = Readonly<{ holder: JsonObject; data: string; start: number }>;

/** Files of a request that together have more characters than this are decoded in turns, in pieces of that many. */
const AT_ONCE_LENGTH = 131_072;

/** By the object that holds the file: a body is walked several times, and its parts never change. */
const decoded = new WeakMap<JsonObject, WeakRef<FileText>>();

/** The same data where nothing changes, and where it is no text. */
export function mapFileText(data: string, holder: JsonObject, replace: ReplacePart): string {
  const file = textFileOf(data, holder);
  if (file === null) return data;
  const { text, encoding } = kept(data, holder) ?? keep(holder, decode(file));
  const changed = replace(text);
  return changed === text ? data : data.slice(0, file.start) + encode(changed, encoding);
}

/** Decodes long files before they are read; the promise holds them. Undefined where there is nothing to wait for. */
export function prepareFileTexts(body: JsonObject, owner: string): Promise<unknown> | undefined {
  const files: EncodedFile[] = [];
  gatherFiles(body, files);
  const length = files.reduce((sum, { data }) => sum + data.length, 0);
  return length <= AT_ONCE_LENGTH ? undefined : decodeInTurns(files, new LongTask(owner, AT_ONCE_LENGTH));
}

function gatherFiles(value: unknown, files: EncodedFile[]): void {
  if (Array.isArray(value)) for (const item of value) gatherFiles(item, files);
  if (!isJsonObject(value)) return;
  const data = value.file_data ?? (value.type === 'base64' ? value.data : undefined);
  const file = typeof data === 'string' && kept(data, value) === null ? textFileOf(data, value) : null;
  if (file !== null) files.push(file);
  for (const name in value) if (typeof value[name] === 'object') gatherFiles(value[name], files);
}

async function decodeInTurns(files: readonly EncodedFile[], task: LongTask): Promise<readonly FileText[]> {
  const texts: FileText[] = [];
  for (const file of files) {
    await task.before(file.data.length);
    const bytes = bytesOf(file);
    const encoding = encodingOf(bytes);
    const decoder = new StringDecoder(encoding);
    const pieces: string[] = [];
    for (let start = 0; start < bytes.length; start += AT_ONCE_LENGTH) {
      if (start > 0) await task.before(AT_ONCE_LENGTH);
      pieces.push(decoder.write(bytes.subarray(start, start + AT_ONCE_LENGTH)));
    }
    texts.push(keep(file.holder, { data: file.data, text: pieces.join('') + decoder.end(), encoding }));
  }
  return texts;
}

function keep(holder: JsonObject, file: FileText): FileText {
  decoded.set(holder, new WeakRef(file));
  return file;
}

/** The text of these very data: what a stranger sends may hold others beside them. */
function kept(data: string, holder: JsonObject): FileText | null {
  const file = decoded.get(holder)?.deref();
  return file?.data === data ? file : null;
}

const TEXT_TYPE = /^text\/|[/+](?:json|xml)$/i;
/** Some of these have only printable letters, and would be broken by a text that is replaced. */
const OTHER_TYPE = /^(?:image|audio|video|font)\/|^application\/pdf$/i;
const PARAMETERS = /;.*/s;

/** Null where the data is no text, or nothing that can be decoded. */
function textFileOf(data: string, holder: JsonObject): EncodedFile | null {
  const isAddress = data.startsWith('data:');
  const start = isAddress ? dataUriPayloadStart(data) : 0;
  if (start === -1) return null;
  const stated = isAddress ? data.slice('data:'.length, start) : String(holder.media_type);
  const mediaType = stated.replace(PARAMETERS, '').trim();
  const file = { holder, data, start };
  if (TEXT_TYPE.test(mediaType)) return file;
  return !OTHER_TYPE.test(mediaType) && looksLikeText(file) ? file : null;
}

/** How much of a file with another type, or none, is looked at; a multiple of what four letters encode. */
const HEAD_LENGTH = 1_024;

/** No control characters but those between lines, and not the one format that begins with letters. */
function looksLikeText({ data, start }: EncodedFile): boolean {
  const head = Buffer.from(data.slice(start, start + HEAD_LENGTH), 'base64');
  if (head.toString('latin1', 0, 5) === '%PDF-') return false;
  return hasMark(head) || !head.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
}

const bytesOf = ({ data, start }: EncodedFile): Buffer => Buffer.from(data.slice(start), 'base64');

/** The mark with which Windows begins texts of two bytes a letter. */
const hasMark = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xfe;

function encodingOf(bytes: Buffer): TextEncoding {
  if (hasMark(bytes)) return 'utf16le';
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}

function decode(file: EncodedFile): FileText {
  const bytes = bytesOf(file);
  const encoding = encodingOf(bytes);
  const text = bytes.toString(encoding === 'utf8' && isAscii(bytes) ? 'latin1' : encoding);
  return { data: file.data, text, encoding };
}

const NOT_LATIN = /[^\0-\xff]/;

function encode(text: string, encoding: TextEncoding): string {
  const fitting = encoding === 'latin1' && NOT_LATIN.test(text) ? 'utf8' : encoding;
  return Buffer.from(text, fitting).toString('base64');
}
