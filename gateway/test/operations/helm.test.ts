// The Helm chart: its values, its schema and its templates speak of the same things, and what Helm makes of them are the
// objects of the plain manifests. A machine without Helm skips the rendering.

import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifests, repository, type Tree, textOf, yamlOf } from './deployment-files.ts';

const CHART = 'deploy/helm';
const hasHelm = spawnSync('helm', ['version']).status === 0;
if (!hasHelm) console.error('\n!! NOT RUN: the Helm chart. Install Helm to render it.');

type Rule = Readonly<{ additionalProperties?: unknown; properties?: Readonly<Record<string, Rule>> }>;

/** The names that a part of the schema allows, where it allows no others. */
function namesIn({ additionalProperties, properties }: Rule, before = ''): readonly string[] {
  if (properties === undefined || additionalProperties !== false) return [before];
  return Object.entries(properties).flatMap(([name, rule]) =>
    namesIn(rule, before === '' ? name : `${before}.${name}`),
  );
}

const at = (tree: Tree, path: string): unknown =>
  path.split('.').reduce<Tree | undefined>((found, name) => found?.[name], tree);

test('its schema allows the values that there are, and its templates name no others', () => {
  const values = yamlOf(`${CHART}/values.yaml`);
  const names = namesIn(JSON.parse(textOf(`${CHART}/values.schema.json`)) as Rule).filter((name) => name !== 'global');
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => at(values, name) === undefined)).toEqual([]);
  const tops = new Set(names.map((name) => name.split('.')[0]));
  expect(Object.keys(values).filter((name) => !tops.has(name))).toEqual([]);
  const templates = readdirSync(join(repository, CHART, 'templates')).map((name) =>
    textOf(`${CHART}/templates/${name}`),
  );
  const named = templates.join('\n').matchAll(/\.Values\.(\w+(?:\.\w+)*)/g);
  expect([...named].map(([, path]) => String(path)).filter((path) => at(values, path) === undefined)).toEqual([]);
});

const render = (...parameters: string[]) =>
  promisify(execFile)('helm', ['template', 'tollgate', CHART, '--kube-version', '1.30.0', ...parameters], {
    cwd: repository,
  });

const objectsIn = (text: string): readonly Tree[] => parseAllDocuments(text).map((document) => document.toJS() as Tree);
const nameOf = ({ kind, metadata }: Tree): string => `${kind} ${metadata?.name}`;

/** Labels and the sum of the configuration are the chart's own. */
const plain = (object: Tree): unknown =>
  JSON.parse(JSON.stringify(object, (name, value) => (['annotations', 'labels'].includes(name) ? undefined : value)));

test.skipIf(!hasHelm)('with its own values it makes the objects of the manifests', async () => {
  const made = new Map(objectsIn((await render()).stdout).map((object) => [nameOf(object), object]));
  const wanted = manifests().filter(({ file }) => file !== 'secret.example.yaml');
  expect([...made.keys()].sort()).toEqual(wanted.map(({ object }) => nameOf(object)).sort());
  for (const { object } of wanted) {
    const found = JSON.parse(
      JSON.stringify(plain(made.get(nameOf(object))!)).replace('"imagePullPolicy":"IfNotPresent",', ''),
    );
    expect(found, nameOf(object)).toEqual(plain(object));
  }
});

test.skipIf(!hasHelm)('what is chosen is there, numbers as they were written, and mistakes are named', async () => {
  const chosen = {
    ingress: { enabled: true, tlsSecretName: 'tls' },
    config: { TOLLGATE_CACHE_BYTES: 1_000_000, A: true },
  };
  const { stdout } = await render(
    '--set-json',
    `ingress=${JSON.stringify(chosen.ingress)}`,
    '--set-json',
    `config=${JSON.stringify(chosen.config)}`,
  );
  const made = objectsIn(stdout);
  const of = (kind: string): Tree => made.find((object) => String(object.kind) === kind)!;
  expect(of('ConfigMap').data).toMatchObject({ TOLLGATE_CACHE_BYTES: '1000000', A: 'true', PORT: '4100' });
  expect(of('Ingress').spec).toMatchObject({ tls: [{ secretName: 'tls' }] });
  for (const [mistake, words] of [
    ['secretName=', '/secretName'],
    ['ingress.enabled=yes', '/ingress/enabled'],
    ['replicas=3', "'replicas'"],
    ['config.PORT=80', 'config.PORT is set by the chart itself'],
    ['autoscaling.minReplicas=9', 'autoscaling.minReplicas must not be above'],
  ] as const) {
    await expect(render('--set', mistake), mistake).rejects.toThrow(words);
  }
});
