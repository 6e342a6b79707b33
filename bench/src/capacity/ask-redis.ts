// The process of a Redis server and how many commands it has run, asked on a connection of its own.

import { connect } from 'node:net';

const PATIENCE_MS = 2_000;

export function askRedis(url: string): Promise<Readonly<{ pid: number; commands: number }>> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').setTimeout(PATIENCE_MS, () => socket.destroy(new Error('Redis does not answer')));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => {
      const figure = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1]);
      resolve({ pid: figure('process_id'), commands: figure('total_commands_processed') });
    });
    socket.write('INFO\r\nQUIT\r\n');
  });
}
