// The files that operators deploy with, as the tests read them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

export type Tree = { readonly [name: string]: Tree } & Iterable<Tree>;

export const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');

export const yamlOf = (path: string): Tree => parse(textOf(path), { merge: true }) as Tree;

/** Every object of the manifests, with its file. */
export function manifests(): readonly Readonly<{ file: string; object: Tree }>[] {
  const folder = 'deploy/kubernetes';
  const files = readdirSync(join(repository, folder)).filter((name) => name !== 'kustomization.yaml');
  return files.flatMap((file) =>
    parseAllDocuments(textOf(`${folder}/${file}`)).map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return { file, object: document.toJS() as Tree };
    }),
  );
}

export function manifest(kind: string, name = 'tollgate'): Tree {
  const found = manifests().find(
    ({ object }) => String(object.kind) === kind && String(object.metadata?.name) === name,
  );
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found.object;
}

/** The metrics that a query asks Prometheus for, without the words of its language and the labels. */
export function metricNames(expression: string): readonly string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|on|without)\s*\([^)]*\)/g, ' ');
  return [...new Set(bare.match(/\b(?:tollgate|process|nodejs|gen_ai)_\w+|\bup\b/g) ?? [])];
}
