// One column of the playground: the conversation with one model, whose last answer grows as it comes. A new question
// ends an answer that is under way; what has come of it stays.

import { useCallback, useEffect, useRef, useState } from 'react';
import { type CalledFunction, type ChatPart, streamChat } from '../../api/chat-stream.ts';
import { createImages, createSpeech } from '../../api/media.ts';
import { playgroundKey } from '../../api/playground-key.ts';
import { bodyOf, type Call, type PlayPurpose } from './call-body.ts';
import type { Question, SaidTurn } from './conversation.ts';

/** Figures of a call, as far as its answer has them. */
export type Outcome = Readonly<{
  generationId: string | null;
  /** The model that answered, where the gateway chose it. */
  model: string | null;
  tokens: Readonly<{ prompt: number; completion: number }> | null;
  costUsd: number | null;
  firstTextMs: number | null;
  totalMs: number;
}>;

export type Answer = Readonly<{
  purpose: PlayPurpose;
  text: string;
  calls: readonly CalledFunction[];
  /** Pictures, or one sound. */
  urls: readonly string[];
  outcome: Outcome | null;
  error: unknown;
  isRunning: boolean;
}>;

export type Turn = Readonly<{ question: Question; answer: Answer }>;

const NOTHING_SAID = { text: '', calls: [], urls: [], outcome: null, error: null, isRunning: false } as const;

/** A call without the earlier turns, which the column itself knows. */
type ColumnCall = Omit<Call, 'before'>;

export type Column = Readonly<{
  turns: readonly Turn[];
  isRunning: boolean;
  /** True once the model has answered; false when it failed or was stopped. */
  run: (call: ColumnCall) => Promise<boolean>;
  stop: () => void;
  /** Replaces all turns; without turns it begins anew. */
  restore: (turns: readonly SaidTurn[]) => void;
}>;

type Part = Partial<Pick<Answer, 'outcome' | 'urls'>>;
type Hear = (part: ChatPart) => void;

export function useColumn(): Column {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);
  useTakenBack(turns);

  const restore = useCallback((said: readonly SaidTurn[]) => {
    running.current?.abort();
    running.current = null;
    setTurns(
      said.map(({ question, answer }) => ({ question, answer: { ...NOTHING_SAID, purpose: 'text', ...answer } })),
    );
  }, []);

  const run = async (call: ColumnCall): Promise<boolean> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const change = (next: (answer: Answer) => Answer): void => {
      if (running.current === controller) setTurns((shown) => withLast(shown, next));
    };
    const answer: Answer = { ...NOTHING_SAID, purpose: call.purpose, isRunning: true };
    setTurns((shown) => [...withLast(shown, ended), { question: call.question, answer }]);
    try {
      const part = await answerTo({ ...call, before: turns }, controller.signal, ({ text = '', calls, url }) =>
        change((shown) => ({
          ...shown,
          text: shown.text + text,
          calls: calls ?? shown.calls,
          urls: url === undefined ? shown.urls : [...shown.urls, url],
        })),
      );
      change((shown) => ({ ...shown, ...part, isRunning: false }));
      return true;
    } catch (error) {
      change((shown) => ({ ...shown, error: controller.signal.aborted ? null : error, isRunning: false }));
      return false;
    }
  };
  return { turns, isRunning: turns.at(-1)?.answer.isRunning ?? false, run, stop, restore };
}

const ended = (answer: Answer): Answer => ({ ...answer, isRunning: false });

function withLast(turns: readonly Turn[], next: (answer: Answer) => Answer): readonly Turn[] {
  const last = turns.at(-1);
  return last === undefined ? turns : turns.with(-1, { ...last, answer: next(last.answer) });
}

/** Addresses that the page made for sound hold memory until the page is left. */
function useTakenBack(turns: readonly Turn[]): void {
  const made = useRef(new Set<string>());
  for (const { answer } of turns) for (const url of answer.urls) if (url.startsWith('blob:')) made.current.add(url);
  useEffect(() => {
    const { current } = made;
    return () => {
      for (const url of current) URL.revokeObjectURL(url);
    };
  }, []);
}

async function answerTo(call: Call, signal: AbortSignal, hear: Hear): Promise<Part> {
  const key = await playgroundKey();
  const body = bodyOf(call);
  if (call.purpose === 'text') {
    const { usage, ...facts } = await streamChat({ key, body, signal, hear });
    const tokens = usage === null ? null : { prompt: usage.promptTokens, completion: usage.completionTokens };
    return { outcome: { ...facts, tokens, costUsd: usage?.costUsd ?? null } };
  }
  const startedMs = performance.now();
  const make = call.purpose === 'image' ? createImages : createSpeech;
  const { urls, generationId, costUsd } = await make({ key, body, signal });
  const totalMs = performance.now() - startedMs;
  return { urls, outcome: { generationId, costUsd, model: null, tokens: null, firstTextMs: null, totalMs } };
}
