// A streamed chat call for the playground: text as it comes, then usage and cost. Frames may be cut anywhere, so bytes
// are collected until a frame is complete.

import { PLAYGROUND_APP } from './playground-key.ts';
import { ApiProblem } from './problem.ts';
import { send } from './request.ts';

type ChatUsage = Readonly<{ promptTokens: number; completionTokens: number; costUsd: number | null }>;

export type ChatOutcome = Readonly<{
  generationId: string | null;
  /** The model that answered, when the gateway chose it. */
  model: string | null;
  usage: ChatUsage | null;
  firstTextMs: number | null;
  totalMs: number;
}>;

export type CalledFunction = Readonly<{ id: string; name: string; arguments: string }>;

/** What has come since the last part: a text to add, all function calls so far, a further picture. */
export type ChatPart = Readonly<{ text?: string; calls?: readonly CalledFunction[]; url?: string }>;

type Delta = Readonly<{
  content?: string | null;
  tool_calls?: readonly { index?: number; id?: string; function?: { name?: string; arguments?: string } }[];
  images?: readonly { image_url?: { url?: string } }[];
}>;

type Frame = Readonly<{
  id?: string;
  model?: string;
  error?: { message?: string; code?: string | number };
  choices?: readonly { delta?: Delta }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number; cost?: number } | null;
}>;

export type ChatCall = Readonly<{
  key: string;
  body: Record<string, unknown>;
  signal: AbortSignal;
  hear: (part: ChatPart) => void;
}>;

export async function streamChat({ key, body, signal, hear }: ChatCall): Promise<ChatOutcome> {
  const startedMs = performance.now();
  const response = await send('POST', '/v1/chat/completions', {
    token: key,
    app: PLAYGROUND_APP,
    signal,
    body: { ...body, stream: true },
  });
  let outcome: ChatOutcome = { generationId: null, model: null, usage: null, firstTextMs: null, totalMs: 0 };
  let calls: readonly CalledFunction[] = [];
  for await (const frame of framesOf(response)) {
    if (frame.error !== undefined) throw problemOf(frame.error, response);
    const { content, tool_calls: called, images = [] } = frame.choices?.[0]?.delta ?? {};
    if (typeof content === 'string' && content !== '') {
      if (outcome.firstTextMs === null) outcome = { ...outcome, firstTextMs: performance.now() - startedMs };
      hear({ text: content });
    }
    if (called !== undefined) {
      calls = called.reduce(withCall, calls);
      hear({ calls });
    }
    for (const { image_url: picture } of images) if (picture?.url !== undefined) hear({ url: picture.url });
    outcome = { ...outcome, ...factsOf(frame) };
  }
  return { ...outcome, totalMs: performance.now() - startedMs };
}

type CallPart = NonNullable<Delta['tool_calls']>[number];

/** The name and the id come first, the arguments in pieces. */
function withCall(calls: readonly CalledFunction[], part: CallPart): readonly CalledFunction[] {
  const index = part.index ?? calls.length;
  const before = calls[index] ?? { id: part.id ?? '', name: '', arguments: '' };
  const call = {
    id: before.id,
    name: before.name + (part.function?.name ?? ''),
    arguments: before.arguments + (part.function?.arguments ?? ''),
  };
  return index < calls.length ? calls.with(index, call) : [...calls, call];
}

function factsOf({ id, model, usage }: Frame): Partial<ChatOutcome> {
  return {
    ...(id === undefined ? {} : { generationId: id }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined || usage === null
      ? {}
      : {
          usage: {
            promptTokens: usage.prompt_tokens ?? 0,
            completionTokens: usage.completion_tokens ?? 0,
            costUsd: usage.cost ?? null,
          },
        }),
  };
}

function problemOf(error: NonNullable<Frame['error']>, response: Response): ApiProblem {
  return new ApiProblem({
    status: response.status,
    code: String(error.code ?? 'stream'),
    message: error.message ?? 'The answer broke off.',
    requestId: response.headers.get('x-request-id'),
  });
}

async function* framesOf(response: Response): AsyncGenerator<Frame> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let gathered = '';
  for (;;) {
    const { done, value } = await reader.read();
    gathered += value ?? '';
    const parts = gathered.split('\n\n');
    gathered = parts.pop() ?? '';
    for (const part of parts) {
      const frame = readFrame(part);
      if (frame !== null) yield frame;
    }
    if (done) return;
  }
}

function readFrame(text: string): Frame | null {
  const line = text.split('\n').find((candidate) => candidate.startsWith('data: '));
  if (line === undefined || line === 'data: [DONE]') return null;
  return JSON.parse(line.slice('data: '.length)) as Frame;
}
