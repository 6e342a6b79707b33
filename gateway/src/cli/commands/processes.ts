// The commands that keep running: the gateway itself and the simulated upstream. Both are loaded only when asked for,
// so that the other commands start at once.

import { type Config, ConfigError, readConfig } from '../../config.ts';
import { endWithNpx } from '../../serve/end-with-npx.ts';
import { type Command, CommandError, type ProcessEnvironment, UsageError } from '../command.ts';

const SIMULATOR_PORT = 4200;

function readPort(text: string | undefined): number {
  if (text === undefined) return SIMULATOR_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port is a number from 0 to 65535, not ${text}.`);
  return port;
}

/** Mistakes in the environment are reported as the person's. */
function readServeConfig(environment: ProcessEnvironment): Config {
  try {
    return readConfig(environment);
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message) : error;
  }
}

export const processCommands: readonly Command[] = [
  {
    words: ['serve'],
    operands: [],
    options: { workers: { value: 'N', summary: 'How many processes serve on the port; needs DATABASE_URL.' } },
    summary: 'Run the gateway, as npm start does.',
    example: 'serve --workers 4',
    async run(input) {
      const { serve } = await import('../../serve/serve.ts');
      endWithNpx(input.environment);
      const { workers = input.environment.TOLLGATE_WORKERS } = input.options;
      await serve(readServeConfig({ ...input.environment, TOLLGATE_WORKERS: workers }));
      return null;
    },
  },
  {
    words: ['sim'],
    operands: [],
    options: { port: { value: 'PORT', summary: `Where to listen on 127.0.0.1; ${SIMULATOR_PORT} unless set.` } },
    summary: 'Run the simulated upstream, to try failures against.',
    example: 'sim --port 4200',
    async run(input) {
      const port = readPort(input.options.port);
      endWithNpx(input.environment);
      const { startSimulator } = await import('@tollgate/simulator');
      const simulator = await startSimulator({ host: '127.0.0.1', port });
      return { json: { url: simulator.url }, text: `The simulator listens at ${simulator.url}. Ctrl-C ends it.` };
    },
  },
];
