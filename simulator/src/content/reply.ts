// Decides what to answer to a turn: words, tool calls, or structured output, with counts that follow from the text.
// Exact counts given by command win over everything, `max_tokens` included, because tests of billing rely on them.

import type { Commands } from '../command-rules.ts';
import { schemaInWords } from './schema-in-words.ts';
import { anyObjectSchema, argumentsForSchema, valueForSchema } from './schema-value.ts';
import {
  countTokens,
  cutText,
  cutToTokens,
  fillerText,
  friendlyText,
  splitEvenly,
  splitWords,
  unicodeText,
} from './text.ts';
import type { Reply, Tool, ToolCall, Turn } from './turn.ts';
import { userWords } from './user-words.ts';

const DEFAULT_REASONING_TOKENS = 24;
const UNICODE_LENGTH = 160;

// For exact counts, text is written up to this length; beyond it only the counts are large.
const WRITTEN_TOKENS_MAX = 50_000;

// A single tool is usually a demonstration, and its author hopes for a call. A coding agent brings several, some of
// which write files, so those are called only when the user's words point at one.
const EAGER_TOOLS_MAX = 1;

/** Stands for a byte that is not UTF-8 until `frames.ts` puts the byte in its place. */
export const INVALID_BYTE_MARK = '\u{e000}';

function pointsAt(text: string, tool: Tool): boolean {
  const words = tool.name.toLowerCase().split(/[^a-z0-9]+/);
  const lower = text.toLowerCase();
  return words.some((word) => word.length >= 4 && lower.includes(word));
}

function chooseTool(turn: Turn): Tool | undefined {
  const { toolChoice, tools } = turn;
  // A client that demands calls and never withdraws the demand would be called forever.
  const uncalled = tools.filter((tool) => !turn.calledTools.includes(tool.name));
  if (typeof toolChoice === 'object') return uncalled.find((tool) => tool.name === toolChoice.name);
  const words = userWords(turn.lastUserText);
  const mentioned = tools.find((tool) => pointsAt(words, tool));
  if (toolChoice === 'required') return uncalled.find((tool) => tool === mentioned) ?? uncalled[0];
  if (toolChoice === 'none' || turn.toolResults.length > 0) return undefined;
  return mentioned ?? (tools.length <= EAGER_TOOLS_MAX ? tools[0] : undefined);
}

function planCalls(turn: Turn, commands: Commands): readonly ToolCall[] {
  if (turn.tools.length === 0 || commands.calls === 0) return [];
  const tool =
    chooseTool(turn) ?? (commands.calls === undefined || turn.toolResults.length > 0 ? undefined : turn.tools[0]);
  if (tool === undefined) return [];
  // Parallel calls go through the tools in turn, beginning with the chosen one.
  const first = turn.tools.indexOf(tool);
  return Array.from({ length: commands.calls ?? 1 }, (_, index) => {
    const called = turn.tools[(first + index) % turn.tools.length] ?? tool;
    const input = argumentsForSchema(called.schema) ?? {};
    return { name: called.name, input, inputJson: JSON.stringify(input) };
  });
}

function answerText(turn: Turn, commands: Commands, reasoningTokens: number): string {
  if (commands.size !== undefined) return sizedText(commands, commands.size);
  if (commands.completionTokens !== undefined) {
    const spokenTokens = Math.max(commands.completionTokens - reasoningTokens, 0);
    return sizedText(commands, Math.min(spokenTokens, WRITTEN_TOKENS_MAX) * 4);
  }
  // Where any object will do, the client may have written into the prompt which one it means.
  const isAny = turn.answerSchema?.schema === anyObjectSchema;
  const wanted = isAny ? (wordedSchema(turn) ?? turn.answerSchema) : (turn.answerSchema ?? wordedSchema(turn));
  if (wanted !== undefined) return JSON.stringify(valueForSchema(wanted.schema));
  if (turn.toolResults.length > 0) return `The tool answered: ${turn.toolResults.join('; ')}`;
  return specialText(commands) ?? friendlyText(userWords(turn.lastUserText));
}

/**
 * An agent's instructions are full of its tools' schemas; only without tools is a schema in the text a request for
 * JSON.
 */
function wordedSchema({ tools, instructions, lastUserText }: Turn): Turn['answerSchema'] {
  return tools.length > 0 ? undefined : schemaInWords(`${instructions}\n${lastUserText}`);
}

function sizedText(commands: Commands, length: number): string {
  return commands.text === undefined ? fillerText(length) : cutText(specialText(commands, length) ?? '', length);
}

function specialText(commands: Commands, length = UNICODE_LENGTH): string | undefined {
  if (commands.text === 'unicode' || commands.styles?.includes('split-utf8')) return unicodeText(length);
  if (commands.text === 'nul') return `Before\u0000after ${fillerText(length)}`;
  if (commands.text === 'invalid-utf8') return `Before${INVALID_BYTE_MARK}after ${fillerText(length)}`;
  if (commands.giantLineKilobytes !== undefined) return fillerText(commands.giantLineKilobytes * 1024);
  return undefined;
}

type CutText = Pick<Reply, 'text' | 'finish' | 'stopSequence'>;

function cutAnswer(text: string, turn: Turn, tokensLeft: number | undefined): CutText {
  for (const stopSequence of turn.stopSequences) {
    const at = stopSequence === '' ? -1 : text.indexOf(stopSequence);
    if (at >= 0) return { text: text.slice(0, at), finish: 'stop-sequence', stopSequence };
  }
  if (tokensLeft !== undefined && countTokens(text) > tokensLeft) {
    return { text: cutToTokens(text, tokensLeft), finish: 'length', stopSequence: undefined };
  }
  return { text, finish: 'stop', stopSequence: undefined };
}

function reasoningTokensFor(turn: Turn, commands: Commands): number {
  const wanted = commands.reasoning?.tokens ?? (turn.reasoning === 'none' ? 0 : DEFAULT_REASONING_TOKENS);
  const isExact = commands.completionTokens !== undefined;
  return turn.maxTokens === undefined || isExact ? wanted : Math.min(wanted, turn.maxTokens);
}

function planPieces(text: string, commands: Commands): readonly string[] {
  if (commands.giantLineKilobytes !== undefined) return [text];
  return commands.chunks === undefined ? splitWords(text) : splitEvenly(text, commands.chunks);
}

export function planReply(turn: Turn, commands: Commands): Reply {
  const reasoningTokens = reasoningTokensFor(turn, commands);
  const isHidden =
    commands.reasoning === undefined ? turn.reasoning === 'hidden' : commands.reasoning.style === 'hidden';
  const calls = planCalls(turn, commands);
  const isSilent = commands.usage === 'zero-output';
  const isExact = commands.completionTokens !== undefined;
  const tokensLeft = turn.maxTokens === undefined || isExact ? undefined : turn.maxTokens - reasoningTokens;
  const cut = calls.length > 0 ? undefined : cutAnswer(answerText(turn, commands, reasoningTokens), turn, tokensLeft);
  const pieces = cut === undefined ? [] : planPieces(cut.text, commands);
  const text = pieces.join('');
  const spokenTokens = countTokens(text) + calls.reduce((sum, call) => sum + 8 + countTokens(call.inputJson), 0);
  return {
    reasoning: isHidden ? '' : fillerText(reasoningTokens * 4),
    text,
    pieces,
    calls,
    finish: commands.finish ?? cut?.finish ?? 'calls',
    stopSequence: cut?.stopSequence,
    promptTokens: commands.usage === 'zero-input' ? 0 : (commands.promptTokens ?? turn.promptTokens),
    completionTokens: isSilent ? 0 : (commands.completionTokens ?? spokenTokens + reasoningTokens),
    reasoningTokens: isSilent ? 0 : reasoningTokens,
  };
}
