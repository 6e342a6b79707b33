// Brings what clients write in the manner of another dialect to the form of this one's providers: nested tool
// definitions, `response_format`, a tool choice with two spellings, an image's address inside an object. A body without
// any of these is returned as it is, without a copy; no body is edited.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

export function normalizeBody(body: JsonObject): JsonObject {
  const changes: JsonObject = {};
  if (Array.isArray(body.tools) && body.tools.some(isNestedTool)) changes.tools = body.tools.map(flattenTool);
  const choice = flattenChoice(body.tool_choice);
  if (choice !== body.tool_choice) changes.tool_choice = choice;
  if (Array.isArray(body.input)) {
    const input = mapChanged(body.input, flattenItem);
    if (input !== body.input) changes.input = input;
  }
  const hasFormat = body.response_format !== undefined;
  if (hasFormat) changes.text = withFormat(body.text, body.response_format);
  if (Object.keys(changes).length === 0) return body;
  const normal = { ...body, ...changes };
  if (hasFormat) delete normal.response_format;
  return normal;
}

function isNestedTool(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && tool.type === 'function' && isJsonObject(tool.function);
}

function flattenTool(tool: unknown): unknown {
  if (!isNestedTool(tool)) return tool;
  const { function: definition, ...others } = tool;
  return { ...others, ...(definition as JsonObject) };
}

function flattenChoice(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type } = choice;
  if (type === 'auto' || type === 'none' || type === 'required') return type;
  return type === 'allowed_tools' && isJsonObject(choice.allowed_tools)
    ? flattenAllowed(choice.allowed_tools)
    : flattenNamed(choice);
}

function flattenAllowed({ mode, tools }: JsonObject): JsonObject {
  return { type: 'allowed_tools', mode, tools: Array.isArray(tools) ? tools.map(flattenNamed) : tools };
}

function flattenNamed(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type } = choice;
  const callee = type === 'function' || type === 'custom' ? choice[type] : undefined;
  return isJsonObject(callee) ? { type, name: callee.name } : choice;
}

/** The dialect's own place for it counts when both are set. */
function withFormat(text: unknown, format: unknown): unknown {
  if (text !== undefined && text !== null && !isJsonObject(text)) return text;
  if (format === null || isJsonObject(text?.format)) return text;
  const isSchema = isJsonObject(format) && format.type === 'json_schema' && isJsonObject(format.json_schema);
  const flat = isSchema ? { type: format.type, ...(format.json_schema as JsonObject) } : format;
  return { ...text, format: flat };
}

function flattenItem(item: unknown): unknown {
  if (!isJsonObject(item)) return item;
  const member = item.type === 'function_call_output' || item.type === 'custom_tool_call_output' ? 'output' : 'content';
  const blocks = item[member];
  if (!Array.isArray(blocks)) return item;
  const flat = mapChanged(blocks, flattenImage);
  return flat === blocks ? item : { ...item, [member]: flat };
}

function flattenImage(block: unknown): unknown {
  if (!isJsonObject(block) || block.type !== 'input_image' || !isJsonObject(block.image_url)) return block;
  const { url, detail } = block.image_url;
  return { ...block, image_url: url, ...(block.detail === undefined && detail !== undefined ? { detail } : {}) };
}

/** The same list when nothing in it changes. */
function mapChanged(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change);
  return changed.some((item, index) => item !== list[index]) ? changed : list;
}
