// Writes a body of this format for a caller of another dialect. Settings without a field here are left out, because an
// unknown field makes the whole call fail; `canSay` keeps away calls that need what this format lacks.

import type {
  AssistantPart,
  ContentPart,
  Conversation,
  MediaSource,
  Message,
  ReasoningPart,
  ReasoningSettings,
  ResponseFormat,
  Tool,
  ToolCallPart,
  ToolResultPart,
} from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { asFailed } from '../../failed-result.ts';
import { paidExtras } from '../../paid-extras.ts';
import { refuseNothing } from '../../refuse-nothing.ts';
import { knownEffortOf } from '../openai/effort.ts';
import { encodeSource } from '../openai/encode-messages.ts';

/** A file needs a name here. */
const UNNAMED_FILE = 'document.pdf';
const OUTPUT_TOKENS_MIN = 16;

/** Members that are undefined are left out of the text. */
export function encodeConversation(request: ConversationRequest, candidate: Candidate): JsonObject {
  const conversation = request.toConversation();
  const { keepsOpenAiOnlyFields } = candidate.model.traits;
  const { sampling } = conversation;
  const hasTools = conversation.tools.length > 0;
  const effort = encodeEffort(conversation.reasoning, request, candidate);
  const isAsked = effort !== undefined && effort !== NO_EFFORT;
  const mayThink = isAsked || candidate.model.supportedParameters?.includes('reasoning') === true;
  return {
    model: candidate.upstreamModel,
    input: refuseNothing(encodeMessages(conversation.messages)),
    tools: hasTools ? (conversation.offeredTools ?? conversation.tools).map(encodeTool) : undefined,
    tool_choice: hasTools ? encodeToolChoice(conversation) : undefined,
    parallel_tool_calls: hasTools && keepsOpenAiOnlyFields ? conversation.isParallelToolCalls : undefined,
    text: encodeText(conversation.responseFormat, request),
    reasoning: effort === undefined ? undefined : { effort },
    // A model that does not think refuses to return encrypted thinking.
    include: mayThink ? ['reasoning.encrypted_content'] : undefined,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    max_output_tokens: encodeLimit(conversation.outputTokensMax),
    user: keepsOpenAiOnlyFields ? conversation.endUserId : undefined,
    ...keptFields(request),
    ...paidExtras(request, candidate, 'responses'),
    store: false,
    stream: request.isStream ? true : undefined,
  };
}

const NO_EFFORT = 'none';
/** These think in any case, and refuse the word for no thinking. */
const UNSTOPPABLE = /(?:^|\/)(?:o\d|gpt-5(?![.\d]))/;

/** Chat completions have the same words for it, so the caller's own is sent; those of others are translated. */
function encodeEffort(
  reasoning: ReasoningSettings | undefined,
  request: ConversationRequest,
  candidate: Candidate,
): string | undefined {
  const { upstreamModel, model } = candidate;
  const asked = chatEffort(request);
  if (asked === NO_EFFORT) {
    const isKnown = model.supportedParameters?.includes('reasoning') === true && !UNSTOPPABLE.test(upstreamModel);
    return isKnown && !model.traits.isReasoningMandatory ? asked : undefined;
  }
  if (reasoning === undefined) return undefined;
  return reasoning.isEnabled === false ? undefined : (asked ?? knownEffortOf(reasoning, candidate));
}

function chatEffort({ format, body: { reasoning, reasoning_effort: older } }: ConversationRequest): string | undefined {
  const effort = (isJsonObject(reasoning) ? reasoning.effort : undefined) ?? older;
  return format === 'chat' && typeof effort === 'string' && effort !== '' ? effort : undefined;
}

/** A lower limit is refused; clients send one to test whether they would be answered. */
function encodeLimit(tokensMax: number | undefined): number | undefined {
  return tokensMax === undefined ? undefined : Math.max(tokensMax, OUTPUT_TOKENS_MIN);
}

function encodeMessages(messages: readonly Message[]): readonly JsonObject[] {
  const customIds = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.parts : [])).flatMap(customIdOf),
  );
  return messages.flatMap((message) => encodeMessage(message, customIds));
}

const customIdOf = (part: AssistantPart): readonly string[] =>
  part.type === 'tool-call' && part.plainInput !== undefined ? [part.id] : [];

/** `customIds` are those of calls of tools that take plain text, whose results are items of another type. */
function encodeMessage(message: Message, customIds: ReadonlySet<string>): readonly JsonObject[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ type: 'message', role: message.role, content: message.parts.flatMap(encodePart) }];
    case 'assistant':
      return message.parts.flatMap(encodeAssistantPart);
    case 'tool':
      return message.parts.map((part) => encodeResult(part, customIds.has(part.callId)));
  }
}

function encodeAssistantPart(part: AssistantPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: part.text, annotations: [] }] },
      ];
    case 'tool-call':
      return [encodeCall(part)];
    case 'reasoning':
      return encodeReasoning(part);
  }
}

function encodeCall({ id, name, argumentsText, plainInput }: ToolCallPart): JsonObject {
  if (plainInput !== undefined) return { type: 'custom_tool_call', call_id: id, name, input: plainInput };
  return { type: 'function_call', call_id: id, name, arguments: argumentsText };
}

/** Other vendors' thinking has no meaning here; the model thinks again. */
function encodeReasoning({ text, itemId, encryptedContent }: ReasoningPart): readonly JsonObject[] {
  if (encryptedContent === undefined) return [];
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', id: itemId, summary, encrypted_content: encryptedContent }];
}

function encodeResult({ callId, content, isError }: ToolResultPart, isCustom: boolean): JsonObject {
  const item = { type: isCustom ? 'custom_tool_call_output' : 'function_call_output', call_id: callId };
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length === content.length) {
    const text = texts.join('\n\n');
    return { ...item, output: isError ? asFailed(text) : text };
  }
  const output = content.flatMap(encodePart);
  const said = isError ? [{ type: 'input_text', text: asFailed('') }, ...output] : output;
  return { ...item, output: said };
}

/** Videos have no place here. */
function encodePart(part: ContentPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'input_text', text: part.text }];
    case 'image':
      return [{ type: 'input_image', image_url: encodeSource(part.source), detail: part.detail ?? 'auto' }];
    case 'file':
      return [{ type: 'input_file', filename: part.filename ?? UNNAMED_FILE, ...encodeFile(part.source) }];
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: part.data, format: part.format } }];
    default:
      return [];
  }
}

function encodeFile(source: MediaSource): JsonObject {
  return source.kind === 'url' ? { file_url: source.url, filename: undefined } : { file_data: encodeSource(source) };
}

/** When it is left out, `strict` means true here and false in every other format. */
function encodeTool({ name, description, parameters, strict = false, custom }: Tool): JsonObject {
  if (custom !== undefined) {
    const format = custom.grammar === undefined ? undefined : { type: 'grammar', ...custom.grammar };
    return { type: 'custom', name, description: custom.description, format };
  }
  return { type: 'function', name, description, parameters, strict };
}

function encodeToolChoice({ toolChoice: choice, tools, offeredTools }: Conversation): unknown {
  if (offeredTools !== undefined) return { type: 'allowed_tools', mode: choice, tools: tools.map(encodeName) };
  if (typeof choice !== 'object') return choice;
  return encodeName(tools.find(({ name }) => name === choice.name) ?? choice);
}

const encodeName = ({ name, custom }: Pick<Tool, 'name' | 'custom'>): JsonObject => ({
  type: custom === undefined ? 'function' : 'custom',
  name,
});

/** How long an answer should be stands beside its form here. */
function encodeText(format: ResponseFormat | undefined, { format: from, body }: ConversationRequest): unknown {
  const verbosity = from === 'chat' && typeof body.verbosity === 'string' ? { verbosity: body.verbosity } : {};
  const text = { ...encodeFormat(format), ...verbosity };
  return Object.keys(text).length === 0 ? undefined : text;
}

/** Fields that chat completions have under the same names; without the first, fewer calls find their cache. */
const KEPT_FIELDS = ['prompt_cache_key', 'prompt_cache_retention', 'safety_identifier'];

function keptFields({ format, body }: ConversationRequest): JsonObject {
  if (format !== 'chat') return {};
  return Object.fromEntries(
    KEPT_FIELDS.flatMap((name) => (typeof body[name] === 'string' ? [[name, body[name]]] : [])),
  );
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json-object') return { format: { type: 'json_object' } };
  const { name, description, schema, strict } = format;
  return { format: { type: 'json_schema', name, description, schema, strict } };
}
