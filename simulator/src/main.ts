#!/usr/bin/env node
// The program `tollgate-simulator`: a simulator on a port, until it is told to stop.

import { parseArgs } from 'node:util';
import { startSimulator } from './server.ts';

const USAGE = `Usage: tollgate-simulator [--port 4101] [--host 127.0.0.1] [--commands delay-20]

A simulated AI provider that speaks the openai protocol (POST /v1/chat/completions, /v1/embeddings) and the anthropic
protocol (POST /v1/messages). Any key is accepted. Commands in the model name make it misbehave: sim-status-503.`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4101' },
    host: { type: 'string', default: '127.0.0.1' },
    commands: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(USAGE);
} else {
  const { port, host, commands } = values;
  const simulator = await startSimulator({ port: Number(port), host, commands, recordLimit: 200 });
  console.log(
    `The simulator listens at ${simulator.url} (openai: ${simulator.url}/v1, anthropic: ${simulator.url}/v1).`,
  );
  const shutDown = (): void => void simulator.close();
  process.once('SIGINT', shutDown);
  process.once('SIGTERM', shutDown);
}
