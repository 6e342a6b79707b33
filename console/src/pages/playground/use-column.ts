// One column of the playground: its answer as it grows, and what became of it. A new call ends the one before it.

import { useCallback, useEffect, useRef, useState } from 'react';
import { type ChatOutcome, streamChat } from '../../api/chat-stream.ts';
import { playgroundKey } from '../../api/playground-key.ts';

export type ColumnState = Readonly<{
  text: string;
  outcome: ChatOutcome | null;
  error: unknown;
  isRunning: boolean;
}>;

const IDLE: ColumnState = { text: '', outcome: null, error: null, isRunning: false };

export type Column = Readonly<{ state: ColumnState; run: (body: Record<string, unknown>) => void; stop: () => void }>;

export function useColumn(): Column {
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const run = useCallback((body: Record<string, unknown>) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const change = (next: (state: ColumnState) => ColumnState): void => {
      if (running.current === controller) setState(next);
    };
    setState({ ...IDLE, isRunning: true });
    void (async () => {
      try {
        const key = await playgroundKey();
        const onText = (text: string): void => change((shown) => ({ ...shown, text: shown.text + text }));
        const outcome = await streamChat({ key, body, signal: controller.signal, onText });
        change((shown) => ({ ...shown, outcome, isRunning: false }));
      } catch (error) {
        change((shown) => ({ ...shown, error: controller.signal.aborted ? null : error, isRunning: false }));
      }
    })();
  }, []);
  return { state, run, stop };
}
