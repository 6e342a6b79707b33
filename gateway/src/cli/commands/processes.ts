// The commands that keep running: the gateway itself and the simulated upstream. Both are loaded only when asked for, so
// that the other commands start at once.

import { type Command, UsageError } from '../command.ts';

const SIMULATOR_PORT = 4200;

function readPort(text: string | undefined): number {
  if (text === undefined) return SIMULATOR_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port is a number from 0 to 65535, not ${text}.`);
  return port;
}

export const processCommands: readonly Command[] = [
  {
    words: ['serve'],
    operands: [],
    options: {},
    summary: 'Run the gateway, as npm start does.',
    async run() {
      await import('../../main.ts');
      return null;
    },
  },
  {
    words: ['sim'],
    operands: [],
    options: { port: { value: 'PORT', summary: `Where to listen on 127.0.0.1; ${SIMULATOR_PORT} unless set.` } },
    summary: 'Run the simulated upstream, to try failures against.',
    async run(input) {
      const port = readPort(input.options.port);
      const { startSimulator } = await import('@tollgate/simulator');
      const simulator = await startSimulator({ host: '127.0.0.1', port });
      return { json: { url: simulator.url }, text: `The simulator listens at ${simulator.url}. Ctrl-C ends it.` };
    },
  },
];
