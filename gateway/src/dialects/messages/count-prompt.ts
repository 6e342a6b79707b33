// How many tokens a prompt has, as exactly as possible without a vendor's tokenizer. Unlike the estimate for the
// reservation it is not meant to be high. The caller passes how text is counted; only for a checked body.

import { isJsonObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { embeddedImageTokens, fileTokens, imageTokens, REMOTE_FILE_TOKENS } from '../estimate-prompt.ts';

/** The tokens of a text. */
type CountText = (text: string) => number;

/** Vendors' vocabularies differ by about this much from the public ones that text is counted with. */
const VOCABULARY_MARGIN = 1.1;
/** Role markers and separators. */
const MESSAGE_TOKENS = 4;
/** The hidden instruction that tells a model how to use tools. */
const TOOLS_TOKENS = 340;
/** Around each tool's definition. */
const TOOL_TOKENS = 12;

export function countPromptTokens(body: JsonObject, countPublicTokens: CountText): number {
  const countText: CountText = (text) => countPublicTokens(text) * VOCABULARY_MARGIN;
  let tokens = countContent(body.system, countText);
  for (const message of objectsIn(body.messages)) tokens += MESSAGE_TOKENS + countContent(message.content, countText);
  const tools = objectsIn(body.tools);
  if (tools.length > 0) tokens += TOOLS_TOKENS;
  for (const tool of tools) tokens += TOOL_TOKENS + countJson(tool, countText);
  return Math.max(1, Math.round(tokens));
}

function countContent(content: unknown, countText: CountText): number {
  if (typeof content === 'string') return countText(content);
  return objectsIn(content).reduce((tokens, block) => tokens + countBlock(block, countText), 0);
}

function countBlock(block: JsonObject, countText: CountText): number {
  switch (block.type) {
    case 'text':
      return countContent(block.text, countText);
    case 'image':
      return countImage(block.source);
    case 'document': {
      const about = countContent(block.title, countText) + countContent(block.context, countText);
      return about + countDocument(block.source, countText);
    }
    case 'tool_result':
      return TOOL_TOKENS + countContent(block.content, countText);
    case 'thinking':
    case 'redacted_thinking':
      // The model is not shown the thinking of earlier turns again.
      return 0;
    default:
      return countJson(block, countText);
  }
}

function countImage(source: unknown): number {
  const { type, data, url } = objectOrEmpty(source);
  if (type === 'base64' && typeof data === 'string') return embeddedImageTokens(data);
  return imageTokens(textOrEmpty(url));
}

function countDocument(source: unknown, countText: CountText): number {
  if (!isJsonObject(source)) return 0;
  const { type, data, content } = source;
  if (type === 'base64' && typeof data === 'string') return fileTokens(data, source.media_type === 'application/pdf');
  if (type === 'text') return countContent(data, countText);
  return type === 'content' ? countContent(content, countText) : REMOTE_FILE_TOKENS;
}

/** Cache markers are not part of what the model reads. */
function countJson(value: JsonObject, countText: CountText): number {
  return countText(stringifyExactJson({ ...value, cache_control: undefined }));
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
