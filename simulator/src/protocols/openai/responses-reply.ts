// The parts that a whole response and a streamed one share: the envelope that repeats the request, the output items,
// the usage.

import type { Commands } from '../../command-rules.ts';
import type { Reply } from '../../content/turn.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { isObject, type JsonObject, objectAt, objectsIn } from '../../json.ts';
import { sealReasoning } from './responses-seal.ts';

export type ResponseReply = Readonly<{
  /** Twelve characters that every identifier ends with. */
  sequence: string;
  createdAtSeconds: number;
  model: string;
  body: JsonObject;
  reply: Reply;
  commands: Commands;
}>;

const ID_FILLER = 'TollgateSimulator';

function responseId(response: ResponseReply): string {
  return `resp_${ID_FILLER}${response.sequence}`;
}

const itemId = (response: ResponseReply, prefix: string, index: number): string =>
  `${prefix}_${ID_FILLER}${index}${response.sequence}`;

export function outputText(text: string): JsonObject {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

function reasoningItem(response: ResponseReply): JsonObject {
  const { reply, body } = response;
  const include = Array.isArray(body.include) ? body.include : [];
  const sealed = sealReasoning(reply.reasoning === '' ? `${reply.reasoningTokens} hidden tokens` : reply.reasoning);
  return {
    id: itemId(response, 'rs', 0),
    type: 'reasoning',
    ...(include.includes('reasoning.encrypted_content') && { encrypted_content: sealed }),
    summary: reply.reasoning === '' ? [] : [{ type: 'summary_text', text: reply.reasoning }],
  };
}

/** A function of a namespace is called by both of its names. */
function namespaceOf(response: ResponseReply, name: string): JsonObject {
  const { body } = response;
  const additional = objectsIn(body.input).filter((item) => item.type === 'additional_tools');
  const tools = [body, ...additional].flatMap((owner) => objectsIn(owner.tools));
  const isHome = (tool: JsonObject): boolean =>
    tool.type === 'namespace' && objectsIn(tool.tools).some((inner) => inner.name === name);
  const home = tools.find(isHome);
  return home === undefined ? {} : { namespace: home.name };
}

/** The items in their finished form. */
function outputItems(response: ResponseReply): readonly JsonObject[] {
  const { reply } = response;
  const isCut = reply.finish === 'length' || reply.finish === 'filtered';
  const status = isCut ? 'incomplete' : 'completed';
  const thoughts = reply.reasoningTokens > 0 ? [reasoningItem(response)] : [];
  const message = {
    id: itemId(response, 'msg', 1),
    type: 'message',
    status,
    content: [outputText(reply.text)],
    role: 'assistant',
  };
  const calls = reply.calls.map((call, index) => ({
    id: itemId(response, 'fc', index),
    type: 'function_call',
    status: 'completed',
    arguments: call.inputJson,
    call_id: `call_${index}${response.sequence}`,
    name: call.name,
    ...namespaceOf(response, call.name),
  }));
  return [...thoughts, ...(calls.length > 0 ? calls : [message])];
}

function usageRecord({ reply, commands }: ResponseReply): unknown {
  const usage = {
    input_tokens: reply.promptTokens,
    input_tokens_details: { cached_tokens: commands.cachedTokens ?? 0 },
    output_tokens: reply.completionTokens,
    output_tokens_details: { reasoning_tokens: reply.reasoningTokens },
    total_tokens: reply.promptTokens + reply.completionTokens,
  };
  return bendUsage(usage, commands.usage);
}

const INCOMPLETE_REASONS: Partial<Record<Reply['finish'], string>> = {
  length: 'max_output_tokens',
  filtered: 'content_filter',
};

export function finalStatus({ reply }: ResponseReply): 'completed' | 'incomplete' | 'failed' {
  if (reply.finish === 'error') return 'failed';
  return INCOMPLETE_REASONS[reply.finish] === undefined ? 'completed' : 'incomplete';
}

export function finishedResponse(response: ResponseReply): JsonObject {
  const status = finalStatus(response);
  const reason = INCOMPLETE_REASONS[response.reply.finish];
  const failure = { code: 'server_error', message: 'Simulated: the model failed while answering.' };
  return {
    ...envelope(response, status),
    completed_at: status === 'completed' ? response.createdAtSeconds : null,
    error: status === 'failed' ? failure : null,
    incomplete_details: reason === undefined ? null : { reason },
    output: outputItems(response),
    usage: usageRecord(response),
  };
}

export function startedResponse(response: ResponseReply): JsonObject {
  return {
    ...envelope(response, 'in_progress'),
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

function envelope(response: ResponseReply, status: string): JsonObject {
  const { body, commands } = response;
  const reasoning = objectAt(body, 'reasoning');
  return {
    id: responseId(response),
    ...(commands.provider !== undefined && { provider: commands.provider }),
    object: 'response',
    created_at: response.createdAtSeconds,
    status,
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    model: response.model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...(isObject(body.text) ? body.text : {}) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  };
}
