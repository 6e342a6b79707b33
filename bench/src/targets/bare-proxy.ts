// The bare Node proxy, piping bytes or parsing every frame.

import { startProgram } from '../processes.ts';
import { passThroughRequests, type Target } from './target.ts';

export async function startBareProxy(relay: 'pipe' | 'parse', upstreamPort: number): Promise<Target> {
  const program = await startProgram<{ port: number }>(new URL('./bare-proxy-program.ts', import.meta.url), {
    name: `bare proxy (${relay})`,
    place: 'proxy',
    parameters: [`http://127.0.0.1:${upstreamPort}`, relay],
  });
  return {
    name: relay === 'pipe' ? 'bare' : 'parse',
    title: relay === 'pipe' ? 'bare Node proxy' : 'bare Node proxy, every frame parsed',
    port: program.ready.port,
    requests: passThroughRequests,
    pids: () => [program.pid],
    stop: program.stop,
  };
}
