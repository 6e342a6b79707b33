// Secrets that the config file refers to outside the environment: read at the start, where a reference that cannot be
// read is reported like every other problem of the file, and again while the gateway runs.

import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import { ConfigDocumentError } from '../modules/catalog/config-problem.ts';
import type { ConfigSource } from '../modules/catalog/config-source.ts';
import { sourceReferences, type Variables } from '../modules/catalog/parse-document.ts';
import type { Clock } from '../platform/clock.ts';
import { readSecret, SecretSourceError } from '../platform/secret-sources.ts';

/** By reference, as variables are by name. */
export async function readReferences(source: ConfigSource, config: Config, clock: Clock): Promise<Variables> {
  const references = sourceReferences(source.document);
  const problems: string[] = [];
  const found = await Promise.all(
    references.map(async (reference) => {
      try {
        return [[reference, await readSecret(reference, config.secretSources, clock.nowMs())]] as const;
      } catch (error) {
        if (!(error instanceof SecretSourceError)) throw error;
        problems.push(error.message);
        return [];
      }
    }),
  );
  if (problems.length > 0) throw new ConfigDocumentError(problems);
  return Object.fromEntries(found.flat());
}

export type KeptReferences = Readonly<{ source: ConfigSource; references: Variables }>;

/** Reads them again; where some have changed, the secrets of the live document that came from there are replaced. */
export function createSecretRefresh(
  catalog: Pick<Catalog, 'replaceSecrets'>,
  kept: KeptReferences,
  { config, clock, lateVariables }: Readonly<{ config: Config; clock: Clock; lateVariables: Variables }>,
): (() => Promise<void>) | null {
  if (Object.keys(kept.references).length === 0) return null;
  let { references } = kept;
  return async () => {
    const now = await readReferences(kept.source, config, clock);
    if (isDeepStrictEqual(now, references)) return;
    const variables = { ...config.variables, ...lateVariables };
    await catalog.replaceSecrets(kept.source, { ...variables, ...references }, { ...variables, ...now });
    references = now;
  };
}
