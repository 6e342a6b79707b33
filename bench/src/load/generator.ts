// The load generator as the benchmark uses it. Jobs may overlap: one makes the load during which another measures.

import { startProgram } from '../processes.ts';
import type { LoadJob, LoadResult, ResultMessage } from './job.ts';

export type Generator = Readonly<{ run(job: LoadJob): Promise<LoadResult> }>;

type Waiting = Readonly<{ resolve: (result: LoadResult) => void; reject: (error: Error) => void }>;

export async function startGenerator(): Promise<Generator> {
  const program = await startProgram(new URL('./generator-program.ts', import.meta.url), {
    name: 'load generator',
    place: 'rest',
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  program.child.on('message', ({ id, result }: ResultMessage) => {
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  program.child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`the load generator ended: ${program.output()}`));
    waiting.clear();
  });
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        program.child.send({ id: lastId, job });
      }),
  };
}

/** A job whose every call must succeed, because figures of failing calls would mean nothing. */
export async function runCleanly(generator: Generator, job: LoadJob): Promise<LoadResult> {
  const result = await generator.run(job);
  if (result.failed > 0 || result.completed === 0) {
    throw new Error(`${result.failed} calls failed, ${result.completed} succeeded; ${result.firstFailure}`);
  }
  return result;
}
