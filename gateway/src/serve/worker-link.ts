// A worker's side of the conversation with the first process: it says when it serves, hands out its metrics, and is told
// to stop.

import type { FromWorker, Serving, ToWorker } from './messages.ts';

/** A page of metrics that is not complete by then is given as it is. */
const COLLECT_DEADLINE_MS = 2_000;

type WorkerLink = Readonly<{
  serving(serving: Serving): void;
  onStop(handler: () => void): void;
  /** Given this worker's metrics, how to have those of all; its own alone when the others cannot be had. */
  collector(own: () => Promise<string>): () => Promise<string>;
}>;

const send = (message: FromWorker): void => void process.send?.(message);

export function openWorkerLink(): WorkerLink {
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;
  let stop = (): void => {};
  let render: (() => Promise<string>) | null = null;

  process.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'stop':
        stop();
        break;
      case 'render':
        void Promise.resolve(render?.() ?? '').then((text) => send({ kind: 'rendered', id: message.id, text }));
        break;
      case 'collected':
        waiting.get(message.id)?.(message.text);
        waiting.delete(message.id);
        break;
    }
  });

  const collect = (own: () => Promise<string>): Promise<string> => {
    lastId += 1;
    const id = lastId;
    send({ kind: 'collect', id });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        own().then(resolve, reject);
      }, COLLECT_DEADLINE_MS);
      waiting.set(id, (text) => {
        clearTimeout(timer);
        resolve(text);
      });
    });
  };

  return {
    serving: (serving) => send({ kind: 'serving', serving }),
    onStop: (handler) => {
      stop = handler;
    },
    collector(own) {
      render = own;
      return () => collect(own);
    },
  };
}
