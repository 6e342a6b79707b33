// What a model takes and makes, by its name where no vendor lists it: catalog/vendors/models.json. The first rule that
// matches decides. An unknown model is taken for one that reads and writes text.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { assert } from '../../platform/assert.ts';

const words = Type.Array(Type.String(), { minItems: 1 });
const strict = { additionalProperties: false };

const FactsFile = Type.Object(
  {
    written: Type.String(),
    kinds: Type.Array(
      Type.Object(
        {
          match: Type.String(),
          not: Type.Optional(Type.String()),
          /** Why the gateway cannot use it. */
          skip: Type.Optional(Type.String()),
          outputs: Type.Optional(words),
          inputs: Type.Optional(words),
        },
        strict,
      ),
    ),
    abilities: Type.Array(
      Type.Object({ match: Type.String(), inputs: words, parameters: Type.Optional(words) }, strict),
    ),
  },
  strict,
);

type ModelFacts = Readonly<{
  /** Null where the gateway can serve it. */
  skip: string | null;
  outputs: readonly string[];
  inputs: readonly string[];
  parameters: readonly string[] | null;
}>;

const FILE = new URL('../../../catalog/vendors/models.json', import.meta.url);

type Facts = Static<typeof FactsFile>;
let facts: Facts | undefined;

function readFacts(): Facts {
  const data: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
  assert(Value.Check(FactsFile, data), 'catalog/vendors/models.json has the form that model-facts.ts reads');
  return data;
}

const fits = (pattern: string, name: string): boolean => new RegExp(pattern, 'i').test(name);

export function modelFacts(upstreamModel: string): ModelFacts {
  facts ??= readFacts();
  const kind = facts.kinds.find(
    ({ match, not }) => fits(match, upstreamModel) && (not === undefined || !fits(not, upstreamModel)),
  );
  const ability = facts.abilities.find(({ match }) => fits(match, upstreamModel));
  const outputs = kind?.outputs ?? ['text'];
  return {
    skip: kind?.skip ?? null,
    outputs,
    inputs: kind?.inputs ?? (outputs.includes('text') ? (ability?.inputs ?? ['text']) : ['text']),
    parameters: outputs.includes('text') ? (ability?.parameters ?? null) : null,
  };
}
