// Content blocks as vendor-neutral parts. A block without a counterpart (a vendor's own tools and their results) is
// left out; one that is text in another form becomes text. Only for checked blocks.

import type {
  AssistantPart,
  CacheControl,
  MediaSource,
  ReasoningPart,
  ResultContent,
  TextPart,
  ToolResultPart,
} from '../../canonical/conversation.ts';
import { isFilled, isJsonObject, type JsonObject, textOrEmpty } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { isSealed, unsealReasoning } from './sealed-reasoning.ts';

/** Blocks that a user or a tool may send. */
export function convertContentBlock(block: JsonObject): readonly ResultContent[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: textOrEmpty(block.text), ...marker(block) }];
    case 'image': {
      const source = convertSource(block.source);
      return source === null ? [] : [{ type: 'image', source, ...marker(block) }];
    }
    case 'document':
      return convertDocument(block);
    case 'search_result':
      return [...heading(block.title, block.source), ...convertContent(block.content)];
    case 'tool_reference':
      return [{ type: 'text', text: `The tool ${textOrEmpty(block.tool_name)} is available.` }];
    default:
      return [];
  }
}

export function convertAssistantBlock(block: JsonObject): readonly AssistantPart[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'text', text: textOrEmpty(block.text), ...marker(block) }];
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          id: textOrEmpty(block.id),
          name: textOrEmpty(block.name),
          argumentsText: stringifyExactJson(block.input),
          ...marker(block),
        },
      ];
    case 'thinking':
      return [convertThinking(block)];
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', redactedData: textOrEmpty(block.data) }];
    default:
      return [];
  }
}

export function convertToolResult(block: JsonObject): ToolResultPart {
  return {
    type: 'tool-result',
    callId: textOrEmpty(block.tool_use_id),
    content: convertContent(block.content),
    isError: block.is_error === true,
    ...marker(block),
  };
}

function convertContent(content: unknown): readonly ResultContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject).flatMap(convertContentBlock) : [];
}

function convertThinking(block: JsonObject): ReasoningPart {
  const text = textOrEmpty(block.thinking);
  const { signature } = block;
  if (isSealed(signature)) return { type: 'reasoning', text, ...unsealReasoning(signature) };
  return { type: 'reasoning', text, ...(isFilled(signature) ? { signature } : {}) };
}

/** Files keep their form; documents that are text become text, which every model can read. */
function convertDocument(block: JsonObject): readonly ResultContent[] {
  const { source, title, context } = block;
  if (!isJsonObject(source)) return [];
  const media = convertSource(source);
  if (media !== null) {
    const filename = typeof title === 'string' ? { filename: title } : {};
    return [...heading(context), { type: 'file', source: media, ...filename, ...marker(block) }];
  }
  const content = convertContent(source.type === 'text' ? source.data : source.content);
  const marked = content.map((part, index) => (index === content.length - 1 ? { ...part, ...marker(block) } : part));
  return [...heading(title, context), ...marked];
}

function heading(...lines: readonly unknown[]): readonly TextPart[] {
  const text = lines.filter(isFilled).join('\n');
  return text === '' ? [] : [{ type: 'text', text }];
}

function convertSource(source: unknown): MediaSource | null {
  if (!isJsonObject(source)) return null;
  if (source.type === 'url') return { kind: 'url', url: textOrEmpty(source.url) };
  if (source.type !== 'base64') return null;
  return { kind: 'base64', mediaType: textOrEmpty(source.media_type), data: textOrEmpty(source.data) };
}

function marker(block: JsonObject): { cacheControl?: CacheControl } {
  return isJsonObject(block.cache_control) ? { cacheControl: block.cache_control } : {};
}
