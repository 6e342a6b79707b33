// One column of the playground: its answer as it grows, and what became of it. A new call ends the one before it.

import { useCallback, useEffect, useRef, useState } from 'react';
import { streamChat } from '../../api/chat-stream.ts';
import { createImages, createSpeech } from '../../api/media.ts';
import { playgroundKey } from '../../api/playground-key.ts';
import type { PlayPurpose } from './call-body.ts';

/** What a call took, as far as its answer tells. */
export type Outcome = Readonly<{
  generationId: string | null;
  /** The model that answered, where the gateway chose it. */
  model: string | null;
  tokens: Readonly<{ prompt: number; completion: number }> | null;
  costUsd: number | null;
  firstTextMs: number | null;
  totalMs: number;
}>;

export type ColumnState = Readonly<{
  purpose: PlayPurpose;
  text: string;
  /** Pictures, or one sound. */
  urls: readonly string[];
  outcome: Outcome | null;
  error: unknown;
  isRunning: boolean;
}>;

const IDLE: ColumnState = { purpose: 'text', text: '', urls: [], outcome: null, error: null, isRunning: false };

export type ColumnCall = Readonly<{ purpose: PlayPurpose; body: Record<string, unknown> }>;
export type Column = Readonly<{ state: ColumnState; run: (call: ColumnCall) => void; stop: () => void }>;

type Part = Partial<Pick<ColumnState, 'outcome' | 'urls'>>;

export function useColumn(): Column {
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);
  useTakenBack(state.urls);

  const run = useCallback((call: ColumnCall) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const change = (next: (state: ColumnState) => ColumnState): void => {
      if (running.current === controller) setState(next);
    };
    setState({ ...IDLE, purpose: call.purpose, isRunning: true });
    const onText = (text: string): void => change((shown) => ({ ...shown, text: shown.text + text }));
    void (async () => {
      try {
        const part = await answerTo(call, controller.signal, onText);
        change((shown) => ({ ...shown, ...part, isRunning: false }));
      } catch (error) {
        change((shown) => ({ ...shown, error: controller.signal.aborted ? null : error, isRunning: false }));
      }
    })();
  }, []);
  return { state, run, stop };
}

/** Addresses that the page made for sound hold memory until they are taken back. */
function useTakenBack(urls: readonly string[]): void {
  useEffect(() => {
    return () => {
      for (const url of urls) if (url.startsWith('blob:')) URL.revokeObjectURL(url);
    };
  }, [urls]);
}

async function answerTo(
  { purpose, body }: ColumnCall,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Part> {
  const key = await playgroundKey();
  if (purpose === 'text') {
    const { usage, ...facts } = await streamChat({ key, body, signal, onText });
    const tokens = usage === null ? null : { prompt: usage.promptTokens, completion: usage.completionTokens };
    return { outcome: { ...facts, tokens, costUsd: usage?.costUsd ?? null } };
  }
  const startedMs = performance.now();
  const make = purpose === 'image' ? createImages : createSpeech;
  const { urls, generationId, costUsd } = await make({ key, body, signal });
  const totalMs = performance.now() - startedMs;
  return { urls, outcome: { generationId, costUsd, model: null, tokens: null, firstTextMs: null, totalMs } };
}
