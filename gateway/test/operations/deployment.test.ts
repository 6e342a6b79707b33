// Deployment files go out of date silently, because nobody runs them every day. So every variable, port, path and time
// in them is compared with the gateway that they deploy.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Figures } from '../../../bench/src/capacity/figures.ts';
import { capacityTable } from '../../../bench/src/capacity/table.ts';
import { type Environment, readConfig } from '../../src/config.ts';
import { BODY_BYTES_MAX } from '../../src/http/body.ts';
import { KEEP_ALIVE_TOLD_MS } from '../../src/http/framed-response.ts';
import { FILE_BYTES_MAX } from '../../src/modules/batches/files.ts';
import { NODE_FLAGS } from '../../src/serve/v8-flags.ts';
import { manifest, manifests, repository, type Tree, textOf, yamlOf } from './deployment-files.ts';

/** Every name that config.ts asks for; with half of the bucket's settings it asks for the rest as well. */
function knownVariables(): ReadonlySet<string> {
  const names = new Set<string>();
  const environment = new Proxy<Environment>(
    {},
    {
      get(_, name) {
        names.add(String(name));
        return name === 'TOLLGATE_S3_BUCKET' ? 'bucket' : undefined;
      },
    },
  );
  expect(() => readConfig(environment)).toThrow('TOLLGATE_S3_ACCESS_KEY_ID');
  return names;
}

const known = knownVariables();
const secondsIn = (path: string, pattern: RegExp): number =>
  Number(pattern.exec(textOf(path))?.[1]?.replaceAll('_', ''));
const drainSeconds = secondsIn('gateway/src/serve/serve.ts', /DRAIN_DEADLINE_MS = ([\d_]+)/) / 1000;
const keepAliveSeconds = KEEP_ALIVE_TOLD_MS / 1000;

const MEGABYTE = 1024 * 1024;
/** An uploaded file comes in a form, which has room of its own. */
const LARGEST_BODY_BYTES = Math.max(BODY_BYTES_MAX, FILE_BYTES_MAX + MEGABYTE);

const asRecord = (tree: Tree | undefined): Record<string, string> => ({ ...(tree as object) });

/** The environment of a service, with what the .env file would hold. */
function composeEnvironment(service: Tree): Record<string, string> {
  const values = {
    POSTGRES_PASSWORD: 'p',
    TOLLGATE_SECRET: 'secret-of-a-deployment',
    TOLLGATE_ADMIN_TOKEN: 'token-of-an-operator',
  } as Record<string, string>;
  const filled = Object.entries(asRecord(service.environment)).map(([name, value]) => [
    name,
    String(value).replace(/\$\{(\w+)(?::-([^}]*)|:\?)?\}/g, (_, key, otherwise) => values[key] ?? otherwise ?? ''),
  ]);
  return Object.fromEntries(filled);
}

/** Without comments, and without where they stand. */
const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** A chart's template where it names single values, for a release of this name. */
const withValues = (text: string, values: Tree): string =>
  text
    .replaceAll('{{ .Release.Name }}', 'tollgate')
    .replace(/\{\{ \.Values\.([\w.]+) \}\}/g, (_, path: string) =>
      String(path.split('.').reduce<Tree | undefined>((tree, name) => tree?.[name], values)),
    );

test('the time of the gateway was found', () => {
  expect(drainSeconds).toBeGreaterThan(0);
});

describe('the image', () => {
  const dockerfile = textOf('Dockerfile');
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: { start: string } };
  const [shell, , inImage = ''] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  const commands = { image: shell === 'sh' ? inImage : '', 'npm start': scripts.start };
  const variables = Object.fromEntries(
    [.../^ENV (.*)$/m.exec(dockerfile)![1]!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );

  test('sets only variables that the gateway reads, and its own Node', () => {
    expect(Object.keys(variables).filter((name) => !known.has(name) && name !== 'NODE_ENV')).toEqual([]);
    expect(variables.HOST).toBe('0.0.0.0');
  });

  test('exposes the port that it listens on, keeps the data folder, and does not run as root', () => {
    expect(dockerfile).toContain(`EXPOSE ${readConfig(variables).port}\n`);
    expect(dockerfile).toContain(`VOLUME ${variables.TOLLGATE_DATA_DIR}\n`);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toContain("+ '/healthz'");
  });

  test('is made of files that exist', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) => paths!.split(' '));
    expect(sources.length).toBeGreaterThan(6);
    expect(sources.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
    expect(commands.image).toMatch(/ gateway\/dist\/tollgate\.js$/);
    expect(existsSync(join(repository, 'gateway/src/main.ts'))).toBe(true);
  });

  test.each(['image', 'npm start'] as const)('%s gives V8 the flags that workers get', (name) => {
    const command = commands[name];
    expect(command.match(/--[\w=-]+/g)?.sort()).toEqual([...NODE_FLAGS].sort());
    const heapBytes = (text: string, options: string): number => {
      const script = text.replace(/\S+\.m?js$/, '-p "v8.getHeapStatistics().heap_size_limit"');
      const env = { ...process.env, NODE_OPTIONS: options };
      return Number(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }));
    };
    for (const megabytes of [8, 16, 32]) {
      const flag = `--max-semi-space-size=${megabytes}`;
      expect(heapBytes(command, flag)).toBe(heapBytes(`node ${flag} a.js`, ''));
    }
    expect(heapBytes(command, '')).toBe(heapBytes('node --max-semi-space-size=16 a.js', ''));
  });

  test('never takes secrets or data into the build', () => {
    const ignored = textOf('.dockerignore').split('\n');
    for (const name of ['.git', '.env', 'data', '**/node_modules', '**/dist']) expect(ignored).toContain(name);
  });
});

describe('compose.yaml', () => {
  const compose = yamlOf('compose.yaml');
  const services = asRecord(compose.services) as unknown as Record<string, Tree>;
  const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'));

  test('has two gateways that can start with what it gives them', () => {
    expect(gateways).toHaveLength(2);
    for (const [name, service] of gateways) {
      const environment = composeEnvironment(service);
      expect(
        Object.keys(environment).filter((variable) => !known.has(variable)),
        name,
      ).toEqual([]);
      const config = readConfig(environment);
      expect([config.databaseUrl, config.redisUrl]).toEqual([
        'postgres://tollgate:p@postgres:5432/tollgate',
        'redis://redis:6379',
      ]);
      expect(Number.parseInt(String(service.stop_grace_period), 10)).toBeGreaterThan(drainSeconds);
    }
  });

  test('trusts exactly its own network with the address of clients', () => {
    const [subnet] = compose.networks!.default!.ipam!.config as unknown as Tree[];
    for (const [, service] of gateways) {
      expect(composeEnvironment(service).TOLLGATE_TRUSTED_PROXIES).toBe(String(subnet!.subnet));
    }
  });

  test('names only services, volumes and files that exist, and every service has a health check', () => {
    const volumes = Object.keys(asRecord(compose.volumes));
    for (const [name, service] of Object.entries(services)) {
      for (const other of Object.keys(asRecord(service.depends_on))) expect(Object.keys(services)).toContain(other);
      for (const mount of (service.volumes ?? []) as unknown as string[]) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('./')) expect(existsSync(join(repository, source)), mount).toBe(true);
        else expect(volumes, mount).toContain(source);
      }
      // A gateway has that of its image.
      expect(name.startsWith('gateway-') || service.healthcheck !== undefined, name).toBe(true);
    }
  });

  test('publishes the port that nginx listens on, on this machine alone', () => {
    const [, port] = /listen (\d+);/.exec(textOf('deploy/nginx/nginx.conf')) ?? [];
    expect(services.nginx!.ports as unknown).toEqual([`127.0.0.1:4100:${port}`]);
    expect(JSON.stringify(services.nginx!.healthcheck)).toContain(`127.0.0.1:${port}/healthz`);
  });
});

describe('nginx.conf', () => {
  const conf = textOf('deploy/nginx/nginx.conf');

  test('speaks to the gateways of compose.yaml on the port of the image', () => {
    const servers = [...conf.matchAll(/^\s*server ([\w-]+):(\d+)/gm)].map(([, host, port]) => `${host}:${port}`);
    expect(servers).toEqual(['gateway-1:4100', 'gateway-2:4100']);
  });

  test('closes idle connections before the gateway does and lets every permitted body pass', () => {
    expect(Number(/keepalive_timeout (\d+)s/.exec(conf)?.[1])).toBeLessThan(keepAliveSeconds);
    const megabytes = Number(/client_max_body_size (\d+)m/.exec(conf)?.[1]);
    expect(megabytes * MEGABYTE).toBeGreaterThan(LARGEST_BODY_BYTES);
  });
});

describe('the Kubernetes manifests', () => {
  const pod = manifest('StatefulSet').spec!.template!.spec!;
  const [gateway] = pod.containers as unknown as Tree[];
  const environment = { ...asRecord(manifest('ConfigMap').data), ...asRecord(manifest('Secret').stringData) };

  test('give the gateway an environment that it can start with', () => {
    const { OPENAI_API_KEY: _, ...own } = environment;
    expect(Object.keys(own).filter((name) => !known.has(name))).toEqual([]);
    const config = readConfig(environment);
    const [port] = gateway!.ports as unknown as Tree[];
    expect(config.port).toBe(Number(port!.containerPort));
    const mounts = (gateway!.volumeMounts as unknown as Tree[]).map((mount) => String(mount.mountPath));
    expect(mounts).toContain(config.dataDir);
    expect(mounts).toContain(join(String(config.configFile), '..'));
    expect(manifest('ConfigMap', 'tollgate-catalog').data).toHaveProperty(['tollgate.yaml']);
  });

  test('probe paths that the gateway has, on the port that it names', () => {
    const routes = textOf('gateway/src/endpoints/routes.ts');
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path, port } = asRecord(gateway![probe]!.httpGet);
      expect(routes, probe).toContain(`path: '${path}'`);
      expect(port).toBe('http');
    }
    // Restarting a gateway whose database is away would lose its running calls and repair nothing.
    expect(String(gateway!.livenessProbe!.httpGet!.path)).toBe('/healthz');
    expect(String(gateway!.readinessProbe!.httpGet!.path)).toBe('/readyz');
  });

  test('leave time for the drain after load balancers have heard of the end', () => {
    const [, waitSeconds] = gateway!.lifecycle!.preStop!.exec!.command as unknown as string[];
    expect(Number(waitSeconds)).toBeGreaterThanOrEqual(5);
    expect(Number(pod.terminationGracePeriodSeconds)).toBeGreaterThan(Number(waitSeconds) + drainSeconds);
  });

  test('keep the journal on a volume of its own and select their own pods', () => {
    const [claim] = manifest('StatefulSet').spec!.volumeClaimTemplates as unknown as Tree[];
    const mount = (gateway!.volumeMounts as unknown as Tree[]).find((it) => String(it.mountPath) === '/data');
    expect(String(claim!.metadata!.name)).toBe(String(mount!.name));
    const labels = manifest('StatefulSet').spec!.template!.metadata!.labels;
    expect(manifest('Service').spec!.selector).toEqual(labels);
    expect(manifest('PodDisruptionBudget').spec!.selector!.matchLabels).toEqual(labels);
    expect(String(manifest('StatefulSet').spec!.serviceName)).toBe(
      String(manifest('Service', 'tollgate-pods').metadata!.name),
    );
    expect(asRecord(manifest('HorizontalPodAutoscaler').spec!.scaleTargetRef)).toMatchObject({
      kind: 'StatefulSet',
      name: 'tollgate',
    });
  });

  test('are all applied, but for the example of the secret, which holds none', () => {
    const resources = yamlOf('deploy/kubernetes/kustomization.yaml').resources as unknown as string[];
    const files = [...new Set(manifests().map(({ file }) => file))];
    expect([...resources, 'secret.example.yaml'].sort()).toEqual(files.sort());
  });
});

describe('the Helm chart', () => {
  const values = yamlOf('deploy/helm/values.yaml');

  test('names only variables that the gateway reads', () => {
    expect(Object.keys(asRecord(values.config)).filter((name) => !known.has(name))).toEqual([]);
    const config = textOf('deploy/helm/templates/config.yaml');
    const set = [...config.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => String(name));
    expect(set.length).toBeGreaterThan(3);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
    const chart = yamlOf('deploy/helm/Chart.yaml');
    expect(String(chart.appVersion)).toBe(JSON.parse(textOf('package.json')).version);
  });

  test('says line by line what the manifests say, but for what is chosen in its values', () => {
    const chosen = [/^image: /, /^requests: \{ cpu/, /^limits: /];
    for (const file of ['gateway.yaml', 'service.yaml', 'availability.yaml']) {
      const lines = new Set(linesOf(withValues(textOf(`deploy/helm/templates/${file}`), values)));
      const missing = linesOf(textOf(`deploy/kubernetes/${file}`)).filter((line) => !lines.has(line));
      expect(missing.filter((line) => !chosen.some((pattern) => pattern.test(line)))).toEqual([]);
    }
  });

  test('lets every permitted body in', () => {
    const annotations = asRecord(values.ingress!.annotations);
    const megabytes = Number.parseInt(String(annotations['nginx.ingress.kubernetes.io/proxy-body-size']), 10);
    expect(megabytes * MEGABYTE).toBeGreaterThan(LARGEST_BODY_BYTES);
  });

  test('lets everything in from outside that is for everybody, and nothing else', () => {
    const surface = textOf('gateway/test/surface/published-surface.txt').trim().split('\n');
    const tops = surface.map((line) => `/${line.split(/\s+/)[2]?.split('/')[1]}`);
    const own = ['/', '/admin', '/metrics', '/healthz', '/readyz'];
    const [, list = ''] = /range list (.*) \}\}/.exec(textOf('deploy/helm/templates/service.yaml')) ?? [];
    const paths = [...list.matchAll(/"([^"]+)"/g)].map(([, path]) => String(path));
    expect(paths.sort()).toEqual([...new Set(tops)].filter((path) => !own.includes(path)).sort());
  });
});

describe('docs/operations.md', () => {
  const page = textOf('docs/operations.md');

  test('names every variable that the gateway reads, and no other of ours', () => {
    expect([...known].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const named = [...page.matchAll(/`\$?(TOLLGATE_\w+)/g)].map(([, name]) => String(name));
    // The command line's own, which the gateway never reads.
    expect([...new Set(named)].filter((name) => !known.has(name) && name !== 'TOLLGATE_URL')).toEqual([]);
  });

  test('refers only to files and commands that exist', () => {
    const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts);
    const commands = [...page.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => String(name));
    expect(commands.filter((name) => !scripts.includes(name))).toEqual([]);
    const files = [...page.matchAll(/`((?:deploy|scripts|gateway)\/[\w./-]+)`/g)].map(([, path]) => String(path));
    // What a build makes need not be there.
    const sources = files.filter((path) => !path.includes('/dist/'));
    expect(sources.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });
});

test('the tables of docs/scale.md are what the simulation makes of the figures that were measured', () => {
  const figures = JSON.parse(textOf('bench/results/capacity.json')) as Figures;
  // The formatter aligns the cells of a table.
  const unaligned = (text: string): string => text.replace(/-{2,}/g, '--').replace(/ +/g, ' ');
  expect(unaligned(textOf('docs/scale.md'))).toContain(unaligned(capacityTable(figures)));
});
