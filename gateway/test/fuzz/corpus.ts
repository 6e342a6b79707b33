// The kept samples of a target: what real formats look like, and every input that was ever a finding. A finding is
// written here, and every ordinary run of the tests tries it from then on.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('corpus/', import.meta.url));

export function samplesOf(name: string): readonly Buffer[] {
  const folder = join(FOLDER, name);
  const files = readdirSync(folder).sort();
  if (files.length === 0) throw new Error(`${folder} has no samples`);
  return files.map((file) => readFileSync(join(folder, file)));
}

/** The name of the new file. */
export function keepFinding(name: string, bytes: Buffer): string {
  const folder = join(FOLDER, name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `found-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`);
  writeFileSync(file, bytes);
  return file;
}
