// What the real API would refuse in a Responses request, so that a client's mistake shows before it meets a real
// provider: unknown parameters, items that refer to something not stored, outputs without their calls.

import { isObject, type JsonObject, numberAt, objectsIn, stringAt } from '../../json.ts';
import { isSealedReasoning } from './responses-seal.ts';

const PARAMETERS: ReadonlySet<string> = new Set([
  ...[
    'background',
    'client_metadata',
    'context_management',
    'conversation',
    'include',
    'input',
    'instructions',
    'max_output_tokens',
  ],
  ...['max_tool_calls', 'metadata', 'model', 'moderation', 'parallel_tool_calls', 'previous_response_id', 'prompt'],
  ...[
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'reasoning',
    'safety_identifier',
    'service_tier',
    'store',
  ],
  ...['stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p'],
  ...['truncation', 'user'],
]);
const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);
const ID_PREFIXES: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' };
const OUTPUT_TOKENS_MIN = 16;

function findReasoningMistake(item: JsonObject, path: string): string | undefined {
  const sealed = stringAt(item, 'encrypted_content');
  if (sealed === undefined) {
    const id = stringAt(item, 'id') ?? '';
    return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  }
  return isSealedReasoning(sealed) ? undefined : `The encrypted content of ${path} could not be verified.`;
}

function findItemMistake(item: JsonObject, path: string, calls: Set<unknown>): string | undefined {
  const type = stringAt(item, 'type') ?? 'message';
  const id = stringAt(item, 'id');
  const prefix = ID_PREFIXES[type];
  if (id !== undefined && prefix !== undefined && !id.startsWith(prefix)) {
    return `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`;
  }
  if (type === 'message') return ROLES.has(item.role) ? undefined : `Invalid value for '${path}.role'.`;
  if (type === 'reasoning') return findReasoningMistake(item, path);
  if (type === 'function_call') calls.add(item.call_id);
  if (type === 'item_reference') return `Item with id '${id ?? ''}' not found.`;
  if (type === 'function_call_output' && !calls.has(item.call_id)) {
    return `No tool call found for function call output with call_id ${String(item.call_id)}.`;
  }
  return undefined;
}

function findInputMistake(input: unknown): string | undefined {
  if (typeof input === 'string') return undefined;
  if (!Array.isArray(input)) return "Missing required parameter: 'input'.";
  const calls = new Set<unknown>();
  for (const [index, item] of input.entries()) {
    const mistake = isObject(item)
      ? findItemMistake(item, `input[${index}]`, calls)
      : `Invalid type for 'input[${index}]'.`;
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

export function findResponsesMistake(body: JsonObject): string | undefined {
  if (stringAt(body, 'model') === undefined) return 'you must provide a model parameter';
  const unknown = Object.keys(body).find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
  const nested = objectsIn(body.tools).findIndex((tool) => tool.type === 'function' && tool.name === undefined);
  if (nested >= 0) return `Missing required parameter: 'tools[${nested}].name'.`;
  const maxTokens = numberAt(body, 'max_output_tokens');
  if (maxTokens !== undefined && maxTokens < OUTPUT_TOKENS_MIN) {
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${OUTPUT_TOKENS_MIN}, but got ${maxTokens} instead.`;
  }
  return findInputMistake(body.input);
}
