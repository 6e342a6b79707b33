// Reads the data of the auto router from catalog/auto: a file of phrases for each language, and the weights fitted to
// them. A language is added by adding its file; a new signal needs the weights to be fitted again.

import { readdirSync, readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AUTO_TIERS } from '../../../contract/config.ts';
import { assert } from '../../../platform/assert.ts';
import type { Words } from './signals.ts';

const WordsFile = Type.Record(Type.String(), Type.Array(Type.String()));

const perTier = Type.Array(Type.Number(), { minItems: AUTO_TIERS.length, maxItems: AUTO_TIERS.length });

const WeightsFile = Type.Object(
  {
    /** The order of the numbers in every list below. */
    tiers: Type.Array(Type.String()),
    bias: perTier,
    weights: Type.Record(Type.String(), perTier),
  },
  { additionalProperties: false },
);

export type Weights = Readonly<Static<typeof WeightsFile>>;

/** The folder has the same place relative to the sources and to what is built from them. */
const FOLDER = new URL('../../../../catalog/auto/', import.meta.url);

export function readWords(): readonly Words[] {
  const folder = new URL('words/', FOLDER);
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => {
    const words: unknown = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    assert(Value.Check(WordsFile, words), `catalog/auto/words/${name} maps signals to lists of phrases`);
    return words;
  });
}

export function readWeights(): Weights {
  const weights: unknown = JSON.parse(readFileSync(new URL('weights.json', FOLDER), 'utf8'));
  assert(Value.Check(WeightsFile, weights), 'catalog/auto/weights.json has the shape that auto-data.ts reads');
  assert(
    AUTO_TIERS.every((tier, index) => weights.tiers[index] === tier),
    'catalog/auto/weights.json lists the tiers in the order of the contract',
  );
  return weights;
}
