// nginx as a reverse proxy with one worker: the practical lower limit of a proxy's cost.

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processTree } from '../measure/process-usage.ts';
import { freePort, startProcess, temporaryFolder, waitForAnswer } from '../processes.ts';
import { type Absent, passThroughRequests, type Target } from './target.ts';

export async function startNginx(upstreamPort: number): Promise<Target | Absent> {
  const command = findNginx();
  if (command === null) return { absent: 'nginx is not installed' };
  const folder = await temporaryFolder('nginx');
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, upstreamPort));
  const started = startProcess({
    name: 'nginx',
    place: 'proxy',
    command,
    parameters: ['-p', folder, '-c', file, '-e', 'stderr'],
  });
  await waitForAnswer(`http://127.0.0.1:${port}/stats`, started);
  return {
    name: 'nginx',
    title: 'nginx',
    port,
    requests: passThroughRequests,
    pids: () => processTree(started.pid),
    stop: started.stop,
  };
}

function findNginx(): string | null {
  // Debian keeps it in a folder that is not on an ordinary user's PATH.
  for (const command of ['nginx', '/usr/sbin/nginx', '/usr/local/sbin/nginx']) {
    try {
      execFileSync(command, ['-v'], { stdio: 'ignore' });
      return command;
    } catch {
      // Not this one.
    }
  }
  return null;
}

function configuration(folder: string, port: number, upstreamPort: number): string {
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
error_log stderr error;
pid ${folder}/nginx.pid;
${process.getuid?.() === 0 ? 'user root root;' : ''}
events { worker_connections 8192; }
http {
  access_log off;
  ${temporaryPaths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  client_max_body_size 20m;
  client_body_buffer_size 64k;
  keepalive_requests 1000000000;
  upstream bench {
    server 127.0.0.1:${upstreamPort};
    keepalive 2048;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location / { proxy_pass http://bench; }
    location /stream- { proxy_pass http://bench; proxy_buffering off; }
  }
}
`;
}
