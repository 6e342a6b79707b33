// Where a config document comes from at start: the operator's file, or the demo catalog that is shipped.

import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../canonical/json.ts';
import { parseDocumentText } from './parse-document.ts';

export type ConfigSource = Readonly<{
  /** For messages. */
  name: string;
  /** As it was written, with its references. */
  document: JsonObject;
  isBuiltIn: boolean;
}>;

const BUILT_IN_FILE = new URL('../../../catalog/demo.yaml', import.meta.url);

/** `path` null asks for the built-in catalog, which expects the variable SIMULATOR_URL. */
export async function readConfigSource(path: string | null): Promise<ConfigSource> {
  const name = path ?? 'the built-in catalog';
  const document = parseDocumentText(await readFile(path ?? BUILT_IN_FILE, 'utf8'));
  return { name, document, isBuiltIn: path === null };
}
