// Checks the blocks of a message and measures them on the way. A block of an unknown type is accepted and measured as
// JSON: an upstream of this dialect may know it. Paths are built only when something is refused.

import { isFilled, isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { isEncryptedPdf } from '../detect-encrypted-pdf.ts';
import {
  addEmbeddedImage,
  addFile,
  addImage,
  addRemoteFile,
  jsonTokens,
  type PromptTokens,
  textTokens,
} from '../estimate-prompt.ts';
import { isPicture, PICTURE_TYPES } from '../picture-types.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

/** Grows while the messages of one request are read; it never leaves the parser. */
export type BlockTally = PromptTokens & {
  imageCount: number;
  fileCount: number;
  /** Ids of the tool uses so far; a result must answer one of them. */
  readonly toolUseIds: Set<string>;
};

export function createTally(): BlockTally {
  return { tokens: 0, tokensBeyond: 0, pictures: 0, imageCount: 0, fileCount: 0, toolUseIds: new Set() };
}

type BlockReader = (block: JsonObject, path: () => string, tally: BlockTally) => void;
export type BlockReaders = ReadonlyMap<unknown, BlockReader>;

const URL_LENGTH_MAX = 8_192;

export const SYSTEM_BLOCKS: BlockReaders = new Map([['text', readText]]);

/** Blocks that a tool may return. */
const RESULT_BLOCKS: BlockReaders = new Map<string, BlockReader>([
  ['text', readText],
  ['image', readImage],
  ['document', readDocument],
]);

export const USER_BLOCKS: BlockReaders = new Map<string, BlockReader>([
  ...RESULT_BLOCKS,
  ['tool_result', readToolResult],
  ['tool_use', refuseToolUse],
  ['container_upload', refuseStoredFile],
] as [string, BlockReader][]);

export const ASSISTANT_BLOCKS: BlockReaders = new Map<string, BlockReader>([
  ['text', readText],
  ['tool_use', readToolUse],
  ['tool_result', refuseToolResult],
  ['thinking', readThinking],
  ['redacted_thinking', readRedactedThinking],
  ['image', readMadeImage],
]);

export function readBlocks(
  blocks: readonly unknown[],
  readers: BlockReaders,
  listPath: () => string,
  tally: BlockTally,
): void {
  for (let position = 0; position < blocks.length; position += 1) {
    const block = blocks[position];
    const path = (): string => `${listPath()}[${position}]`;
    if (!isJsonObject(block)) throw refuseField(path(), 'must be an object');
    if (typeof block.type !== 'string') throw refuseField(`${path()}.type`, 'must be a string');
    const reader = readers.get(block.type);
    if (reader === undefined) tally.tokens += jsonTokens(block);
    else reader(block, path, tally);
  }
}

function readText(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { text } = block;
  if (typeof text !== 'string') throw refuseField(`${path()}.text`, 'must be a string');
  tally.tokens += textTokens(text);
}

function readThinking(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { thinking, signature } = block;
  if (typeof thinking !== 'string') throw refuseField(`${path()}.thinking`, 'must be a string');
  if (isSet(signature) && typeof signature !== 'string') throw refuseField(`${path()}.signature`, 'must be a string');
  tally.tokens += textTokens(thinking);
}

function readRedactedThinking(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { data } = block;
  if (typeof data !== 'string') throw refuseField(`${path()}.data`, 'must be a string');
  tally.tokens += textTokens(data);
}

function readToolUse(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { id, name, input } = block;
  if (!isFilled(id)) throw malformed(`${path()}.id must be a string.`);
  if (!isFilled(name)) throw malformed(`${path()}.name must be a string.`);
  if (!isJsonObject(input)) throw malformed(`${path()}.input must be an object.`);
  tally.toolUseIds.add(id);
  tally.tokens += jsonTokens(block);
}

function readToolResult(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (!isFilled(id)) throw malformed(`${path()}.tool_use_id is required and must be a string.`);
  if (!tally.toolUseIds.has(id)) throw malformed(`${path()}.tool_use_id matches no tool_use of an earlier message.`);
  if (isSet(isError) && typeof isError !== 'boolean') throw malformed(`${path()}.is_error must be a boolean.`);
  tally.tokens += textTokens(id);
  // A tool may return nothing.
  if (content === undefined || content === null) return;
  if (typeof content === 'string') tally.tokens += textTokens(content);
  else if (Array.isArray(content)) readBlocks(content, RESULT_BLOCKS, () => `${path()}.content`, tally);
  else throw malformed(`${path()}.content must be a string or an array of content blocks.`);
}

function refuseToolUse(_block: JsonObject, path: () => string): never {
  throw malformed(`${path()} is a tool_use, which only an assistant message may hold.`);
}

function refuseToolResult(_block: JsonObject, path: () => string): never {
  throw malformed(`${path()} is a tool_result, which only a user message may hold.`);
}

/** An upstream's file id belongs to the gateway's own account there, which all callers share. */
function refuseStoredFile(_block: JsonObject, path: () => string): never {
  throw new ApiError('unsupported_param', `${path()} refers to a stored file, which is not supported. Send its data.`);
}

function readImage(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { source } = block;
  if (!isJsonObject(source)) throw refuseField(`${path()}.source`, 'must be an object');
  tally.imageCount += 1;
  if (source.type === 'url') {
    if (!isWebUrl(source.url)) {
      throw new ApiError('invalid_image_url', `${path()}.source.url must be an http or https URL.`);
    }
    addImage(tally, source.url);
  } else if (source.type === 'base64') {
    addEmbeddedImage(tally, readData(source, path));
    if (!isPicture(String(source.media_type))) {
      throw refuseField(`${path()}.source.media_type`, `must be one of ${PICTURE_TYPES}`);
    }
  } else readOtherSource(source, path, tally);
}

/** A model's own picture is read again, and does not require image input of the model. */
function readMadeImage(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { imageCount } = tally;
  readImage(block, path, tally);
  tally.imageCount = imageCount;
}

function readDocument(block: JsonObject, path: () => string, tally: BlockTally): void {
  const { source, title, context } = block;
  if (!isJsonObject(source)) throw refuseField(`${path()}.source`, 'must be an object');
  if (typeof title === 'string') tally.tokens += textTokens(title);
  if (typeof context === 'string') tally.tokens += textTokens(context);
  switch (source.type) {
    case 'base64':
      readEmbeddedFile(source, path, tally);
      return;
    case 'url':
      if (!isWebUrl(source.url)) throw refuseField(`${path()}.source.url`, 'must be an http or https URL');
      tally.fileCount += 1;
      addRemoteFile(tally);
      return;
    case 'text':
      tally.tokens += textTokens(readData(source, path));
      return;
    case 'content':
      readDocumentContent(source.content, path, tally);
      return;
    default:
      readOtherSource(source, path, tally);
  }
}

function readEmbeddedFile(source: JsonObject, path: () => string, tally: BlockTally): void {
  const data = readData(source, path);
  const isPdf = source.media_type === 'application/pdf';
  if (isPdf && isEncryptedPdf(data, 0)) {
    throw refuseField(`${path()}.source.data`, 'is a password-protected PDF; send it without a password');
  }
  tally.fileCount += 1;
  addFile(tally, data, { isPdf, mediaType: String(source.media_type) });
}

function readDocumentContent(content: unknown, path: () => string, tally: BlockTally): void {
  if (typeof content === 'string') tally.tokens += textTokens(content);
  else if (Array.isArray(content)) readBlocks(content, RESULT_BLOCKS, () => `${path()}.source.content`, tally);
  else throw refuseField(`${path()}.source.content`, 'must be a string or an array of content blocks');
}

function readData(source: JsonObject, path: () => string): string {
  const { data, media_type: mediaType } = source;
  if (data === undefined) throw refuseMissing(`${path()}.source.data`);
  if (!isFilled(data)) throw refuseField(`${path()}.source.data`, 'must be a string');
  if (typeof mediaType !== 'string') throw refuseField(`${path()}.source.media_type`, 'must be a string');
  if (source.type === 'base64' && data.startsWith('data:')) {
    throw refuseField(`${path()}.source.data`, 'must be plain base64, without the data: prefix');
  }
  return data;
}

function readOtherSource(source: JsonObject, path: () => string, tally: BlockTally): void {
  if (typeof source.type !== 'string') throw refuseField(`${path()}.source.type`, 'must be a string');
  if (source.type === 'file') refuseStoredFile(source, () => `${path()}.source`);
  tally.tokens += jsonTokens(source);
}

function isWebUrl(url: unknown): url is string {
  return typeof url === 'string' && url.length <= URL_LENGTH_MAX && /^https?:\/\/./i.test(url);
}

function malformed(message: string): ApiError {
  return new ApiError('malformed_tool_messages', message);
}
