// A conversation in any protocol, reduced to what decides the answer. Protocols translate their bodies to this, and
// `reply.ts` answers it.

export type Tool = Readonly<{ name: string; schema: unknown }>;

export type Turn = Readonly<{
  promptTokens: number;
  /** The instructions above the conversation. */
  instructions: string;
  lastUserText: string;
  /** Results that came after the user's last message; not empty means that the calls have been made. */
  toolResults: readonly string[];
  /** The names of the tools that gave those results. */
  calledTools: readonly string[];
  tools: readonly Tool[];
  toolChoice: 'auto' | 'none' | 'required' | Readonly<{ name: string }>;
  maxTokens: number | undefined;
  stopSequences: readonly string[];
  /** Structured output: undefined for plain text, else the schema that the answer must satisfy. */
  answerSchema: Readonly<{ schema: unknown }> | undefined;
  reasoning: 'none' | 'shown' | 'hidden';
}>;

export type ToolCall = Readonly<{ name: string; input: unknown; inputJson: string }>;

export type Reply = Readonly<{
  reasoning: string;
  text: string;
  pieces: readonly string[];
  calls: readonly ToolCall[];
  finish: 'stop' | 'length' | 'stop-sequence' | 'calls' | 'filtered' | 'error';
  stopSequence: string | undefined;
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}>;
