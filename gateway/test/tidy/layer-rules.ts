// The architecture as a table: which folder may import which. A row lists everything a folder may import directly; an
// import that is not in its row points the wrong way, and needs a value that is passed down or a function wired in
// app.ts.

import { fileRule, isScript, isTest, type Rule, type Violation } from './rule.ts';
import { importsOf, type SourceFile } from './source-file.ts';

const DOWN_FROM_PIPELINE = ['dialects', 'upstreams', 'modules', 'http', 'contract', 'canonical', 'errors', 'platform'];

const mayImport: Readonly<Record<string, readonly string[]>> = {
  'tollgate.ts': [],
  'main.ts': ['serve', 'config.ts'],
  serve: ['app.ts', 'config.ts', 'demo.ts', 'errors', 'platform'],
  'demo.ts': ['app.ts', 'config.ts', 'errors', 'platform'],
  'app.ts': ['config.ts', 'wiring', 'endpoints', 'jobs', 'pipeline', ...DOWN_FROM_PIPELINE],
  wiring: ['config.ts', 'endpoints', 'jobs', 'pipeline', ...DOWN_FROM_PIPELINE],
  'config.ts': ['errors', 'platform'],
  cli: ['serve', 'config.ts', 'modules', 'contract', 'canonical', 'platform'],
  endpoints: ['pipeline', ...DOWN_FROM_PIPELINE],
  jobs: ['pipeline', ...DOWN_FROM_PIPELINE.filter((folder) => folder !== 'http')],
  pipeline: DOWN_FROM_PIPELINE,
  dialects: ['contract', 'canonical', 'errors', 'platform'],
  upstreams: ['contract', 'canonical', 'errors', 'platform'],
  modules: ['contract', 'canonical', 'errors', 'platform'],
  http: ['canonical', 'errors', 'platform'],
  contract: [],
  canonical: ['platform'],
  errors: ['platform'],
  platform: [],
};

const GATEWAY = 'gateway/src/';
const MODULES = `${GATEWAY}modules/`;

/** The row of the table that a file belongs to: its folder below src, or its own name at the top. */
const layerOf = (path: string): string => path.slice(GATEWAY.length).split('/')[0] ?? '';

function importViolations(file: SourceFile, isForbidden: (target: string) => boolean): Violation[] {
  return importsOf(file)
    .filter(({ target }) => target !== null && isForbidden(target))
    .map(({ line, specifier }) => ({ path: file.path, line, text: `imports ${specifier}` }));
}

const CANONICAL_GROUND: ReadonlySet<string> = new Set([
  `${GATEWAY}platform/money.ts`,
  `${GATEWAY}platform/json-document.ts`,
]);

/** Files whose imports lead back to them, imports of types included; each cycle is reported once, at its first file. */
function circles(files: readonly SourceFile[]): Violation[] {
  const sources = files.filter(({ path }) => isScript(path) && !isTest(path));
  const imports = new Map(sources.map((file) => [file.path, importsOf(file)]));
  const finished = new Set<string>();
  const violations: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    for (const { target, line } of imports.get(path) ?? []) {
      if (target === null || finished.has(target) || !imports.has(target)) continue;
      const start = trail.indexOf(target);
      if (start === -1) visit(target, [...trail, target]);
      else violations.push({ path, line, text: [...trail.slice(start), target].join(' -> ') });
    }
    finished.add(path);
  };
  for (const { path } of sources) if (!finished.has(path)) visit(path, [path]);
  return violations;
}

export const layerRules: readonly Rule[] = [
  {
    name: 'no file leads back to itself',
    protects: 'Files of a circle can only be read, tested and changed together.',
    offends: [
      { path: 'gateway/src/a.ts', text: "import type { A } from './a.ts';" },
      { path: 'console/src/ui/a.tsx', text: "import { A } from './a.tsx';" },
    ],
    accepts: [{ path: 'gateway/src/a.ts', text: "import type { B } from './b.ts';" }],
    find: circles,
  },
  fileRule({
    name: 'imports point one way',
    protects: 'A folder can be understood, and tested, with only what lies below it.',
    offends: [
      { path: 'gateway/src/modules/keys/keys.ts', text: "import { run } from '../../pipeline/inference.ts';" },
      { path: 'gateway/src/dialects/chat/parse.ts', text: "import type { Codec } from '../../upstreams/registry.ts';" },
      { path: 'gateway/src/upstreams/registry.ts', text: "import { render } from '../dialects/chat/render.ts';" },
      { path: 'gateway/src/platform/db/pool.ts', text: "const late = await import('../../errors/api-error.ts');" },
    ],
    accepts: [
      { path: 'gateway/src/pipeline/admit.ts', text: "import { limit } from '../modules/limits/window.ts';" },
      { path: 'gateway/src/modules/keys/keys.test.ts', text: "import { harness } from '../../../test/harness.ts';" },
    ],
    applies: (path) => path.startsWith(GATEWAY) && !isTest(path),
    judge: (file) => {
      const layer = layerOf(file.path);
      const allowed = mayImport[layer];
      if (allowed === undefined) return [{ path: file.path, line: 1, text: `${layer} is not in the table of folders` }];
      return importViolations(file, (target) => {
        if (!target.startsWith(GATEWAY)) return true;
        return layerOf(target) !== layer && !allowed.includes(layerOf(target));
      });
    },
  }),
  fileRule({
    name: 'modules do not know their siblings',
    protects: 'A module can be replaced or read alone; what two of them share passes through the pipeline or app.ts.',
    offends: [{ path: 'gateway/src/modules/usage/usage.ts', text: "import { keys } from '../identity/store.ts';" }],
    accepts: [{ path: 'gateway/src/modules/usage/usage.ts', text: "import { rows } from './store.ts';" }],
    applies: (path) => path.startsWith(MODULES) && !isTest(path),
    judge: (file) => {
      const own = `${MODULES}${file.path.slice(MODULES.length).split('/')[0]}/`;
      return importViolations(file, (target) => target.startsWith(MODULES) && !target.startsWith(own));
    },
  }),
  fileRule({
    name: 'the canonical form stands on money and on JSON alone',
    protects: 'Every other folder depends on the canonical types, so whatever they import, everything imports.',
    offends: [{ path: 'gateway/src/canonical/usage.ts', text: "import { pool } from '../platform/db/pool.ts';" }],
    accepts: [{ path: 'gateway/src/canonical/usage.ts', text: "import type { NanoUsd } from '../platform/money.ts';" }],
    applies: (path) => path.startsWith(`${GATEWAY}canonical/`) && !isTest(path),
    judge: (file) =>
      importViolations(file, (target) => target.startsWith(`${GATEWAY}platform/`) && !CANONICAL_GROUND.has(target)),
  }),
  fileRule({
    name: 'the simulator knows nothing of the gateway',
    protects: 'An upstream that shares code with the gateway shares its mistakes, and the tests agree with both.',
    offends: [
      { path: 'simulator/src/server.ts', text: "import { newId } from '../../gateway/src/platform/ids.ts';" },
      { path: 'simulator/src/server.ts', text: "import { main } from '@tollgate/gateway';" },
    ],
    applies: (path) => path.startsWith('simulator/') && isScript(path),
    judge: (file) =>
      importsOf(file)
        .filter(({ specifier, target }) => specifier.includes('@tollgate/gateway') || target?.startsWith('gateway/'))
        .map(({ line, specifier }) => ({ path: file.path, line, text: `imports ${specifier}` })),
  }),
];
