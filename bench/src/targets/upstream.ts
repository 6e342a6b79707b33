// The upstream as the benchmark uses it: a process of its own, and also the first target, called directly.

import { startProgram } from '../processes.ts';
import { passThroughRequests, type Target } from './target.ts';

type UpstreamCounts = Readonly<{ calls: number; pacedFrames: number; openStreams: number }>;

export type Upstream = Readonly<{ port: number; target: Target; counts(): Promise<UpstreamCounts> }>;

export async function startUpstream(): Promise<Upstream> {
  const program = await startProgram<{ port: number }>(new URL('./upstream-program.ts', import.meta.url), {
    name: 'upstream',
    place: 'rest',
  });
  const { port } = program.ready;
  return {
    port,
    counts: async () => (await fetch(`http://127.0.0.1:${port}/stats`)).json() as Promise<UpstreamCounts>,
    target: {
      name: 'direct',
      title: 'upstream directly',
      port,
      requests: passThroughRequests,
      pids: () => [program.pid],
      stop: program.stop,
    },
  };
}
