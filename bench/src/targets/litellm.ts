// LiteLLM's proxy with a master key and nothing stored: one model for each mode.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processTree } from '../measure/process-usage.ts';
import { freePort, startProcess, temporaryFolder, waitForAnswer } from '../processes.ts';
import { findProgram } from './find-program.ts';
import { type Absent, bearer, chatBody, MODES, type Target } from './target.ts';

const KEY = 'sk-bench';

export async function startLiteLlm(upstreamPort: number): Promise<Target | Absent> {
  const program = findProgram('BENCH_LITELLM', ['litellm']);
  if (typeof program !== 'string') return program;
  const file = join(await temporaryFolder('litellm'), 'config.json');
  const models = MODES.map((mode) => ({
    model_name: mode,
    litellm_params: {
      model: 'openai/bench',
      api_base: `http://127.0.0.1:${upstreamPort}/${mode}/v1`,
      api_key: 'bench',
    },
  }));
  // It reads YAML, and JSON is valid YAML.
  await writeFile(file, JSON.stringify({ model_list: models, general_settings: { master_key: KEY } }));
  const port = await freePort();
  const started = startProcess({
    name: 'litellm',
    place: 'proxy',
    command: program,
    parameters: ['--config', file, '--host', '127.0.0.1', '--port', String(port)],
  });
  await waitForAnswer(`http://127.0.0.1:${port}/health/liveliness`, started);
  return {
    name: 'litellm',
    title: 'LiteLLM',
    port,
    requests: (mode, contentBytes) => [
      { path: '/v1/chat/completions', headers: bearer(KEY), body: chatBody(mode, mode, contentBytes) },
    ],
    pids: () => processTree(started.pid),
    stop: started.stop,
  };
}
