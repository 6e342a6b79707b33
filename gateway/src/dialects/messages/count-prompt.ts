// How many tokens a prompt has, as near to the truth as can be told without a vendor's tokenizer. Unlike the estimate
// for the reservation it does not lean to either side. Only for a body that has been checked.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { embeddedImageTokens, fileTokens, imageTokens, REMOTE_FILE_TOKENS } from '../estimate-prompt.ts';
import { countTextTokens } from './count-text.ts';

/** Role markers and separators. */
const MESSAGE_TOKENS = 4;
/** The hidden instruction that tells a model how to use tools. */
const TOOLS_TOKENS = 340;
/** Around each tool's definition. */
const TOOL_TOKENS = 12;

export function countPromptTokens(body: JsonObject): number {
  let tokens = countContent(body.system);
  for (const message of objectsIn(body.messages)) tokens += MESSAGE_TOKENS + countContent(message.content);
  const tools = objectsIn(body.tools);
  if (tools.length > 0) tokens += TOOLS_TOKENS;
  for (const tool of tools) tokens += TOOL_TOKENS + countJson(tool);
  return Math.max(1, Math.round(tokens));
}

function countContent(content: unknown): number {
  if (typeof content === 'string') return countTextTokens(content);
  return objectsIn(content).reduce((tokens, block) => tokens + countBlock(block), 0);
}

function countBlock(block: JsonObject): number {
  switch (block.type) {
    case 'text':
      return countContent(block.text);
    case 'image':
      return countImage(block.source);
    case 'document':
      return countContent(block.title) + countContent(block.context) + countDocument(block.source);
    case 'tool_result':
      return TOOL_TOKENS + countContent(block.content);
    case 'thinking':
    case 'redacted_thinking':
      // The thinking of earlier turns is not shown to the model again.
      return 0;
    default:
      return countJson(block);
  }
}

function countImage(source: unknown): number {
  const { type, data, url } = isJsonObject(source) ? source : {};
  if (type === 'base64' && typeof data === 'string') return embeddedImageTokens(data);
  return imageTokens(typeof url === 'string' ? url : '');
}

function countDocument(source: unknown): number {
  if (!isJsonObject(source)) return 0;
  const { type, data, content } = source;
  if (type === 'base64' && typeof data === 'string') return fileTokens(data, source.media_type === 'application/pdf');
  if (type === 'text') return countContent(data);
  return type === 'content' ? countContent(content) : REMOTE_FILE_TOKENS;
}

/** Markers for the cache are not part of what the model reads. */
function countJson(value: JsonObject): number {
  return countTextTokens(stringifyExactJson({ ...value, cache_control: undefined }));
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
