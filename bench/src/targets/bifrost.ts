// Bifrost with its defaults: one provider of the OpenAI kind for each mode, no governance.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processTree } from '../measure/process-usage.ts';
import { freePort, startProcess, temporaryFolder, waitForAnswer } from '../processes.ts';
import { findProgram } from './find-program.ts';
import { type Absent, chatBody, MODES, type Target } from './target.ts';

export async function startBifrost(upstreamPort: number): Promise<Target | Absent> {
  const program = findProgram('BENCH_BIFROST', ['bifrost-http', 'bifrost']);
  if (typeof program !== 'string') return program;
  const folder = await temporaryFolder('bifrost');
  const providers = MODES.map((mode) => [
    mode,
    {
      keys: [{ name: 'bench', value: 'bench', models: ['bench'], weight: 1 }],
      network_config: { base_url: `http://127.0.0.1:${upstreamPort}/${mode}` },
      custom_provider_config: { base_provider_type: 'openai' },
    },
  ]);
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: Object.fromEntries(providers) }));
  const port = await freePort();
  const started = startProcess({
    name: 'bifrost',
    place: 'proxy',
    command: program,
    parameters: ['-app-dir', folder, '-host', '127.0.0.1', '-port', String(port)],
  });
  await waitForAnswer(`http://127.0.0.1:${port}/health`, started);
  return {
    name: 'bifrost',
    title: 'Bifrost',
    port,
    requests: (mode, contentBytes) => [
      { path: '/v1/chat/completions', headers: {}, body: chatBody(`${mode}/bench`, mode, contentBytes) },
    ],
    pids: () => processTree(started.pid),
    stop: started.stop,
  };
}
