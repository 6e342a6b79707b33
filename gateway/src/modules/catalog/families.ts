// Facts about model families and about how names are shortened, read from catalog/families.json: code never asks for a
// vendor by name. The first pattern that fits an id decides; a model entry's own `family` decides before that.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FamilyTraits } from '../../canonical/model.ts';
import { assert } from '../../platform/assert.ts';

const FamilyFacts = Type.Object(
  {
    keepsOpenAiOnlyFields: Type.Optional(Type.Boolean()),
    messagesMax: Type.Optional(Type.Integer({ minimum: 1 })),
    isThinkingOptIn: Type.Optional(Type.Boolean()),
    thinkingCompletionMultiplier: Type.Optional(Type.Integer({ minimum: 1 })),
    isReasoningMandatory: Type.Optional(Type.Boolean()),
    isReasoningAsked: Type.Optional(Type.Boolean()),
    pictureTokensMax: Type.Optional(Type.Integer({ minimum: 1 })),
    picturesExceedContext: Type.Optional(Type.Boolean()),
    tokenizer: Type.Optional(Type.Union([Type.Literal('o200k_base'), Type.Literal('cl100k_base')])),
  },
  { additionalProperties: false },
);

const FamiliesFile = Type.Object(
  {
    /** A prefix that some clients put before every name, without meaning. */
    clientPrefix: Type.String(),
    /** Names that need no provider: what they start with, and the provider meant. */
    autoPrefixes: Type.Array(Type.Object({ startsWith: Type.String({ minLength: 1 }), provider: Type.String() })),
    families: Type.Record(Type.String(), FamilyFacts),
    patterns: Type.Array(Type.Object({ match: Type.String(), family: Type.String() })),
  },
  { additionalProperties: false },
);

export type NamingRules = Readonly<{
  clientPrefix: string;
  autoPrefixes: readonly Readonly<{ startsWith: string; provider: string }>[];
}>;

export type Families = Readonly<{
  naming: NamingRules;
  names(): Iterable<string>;
  traitsOf(modelId: string, family: string | undefined): FamilyTraits;
}>;

const OTHER_FAMILY = 'other';
/** Of a family that states none: models that look at pictures closely take this many. */
const PICTURE_TOKENS_MAX = 16_384;

/** The folder has the same place relative to the sources and to what is built from them. */
const FAMILIES_FILE = new URL('../../../catalog/families.json', import.meta.url);

export function readFamilies(): Families {
  return makeFamilies(JSON.parse(readFileSync(FAMILIES_FILE, 'utf8')));
}

function makeFamilies(data: unknown): Families {
  assert(Value.Check(FamiliesFile, data), 'catalog/families.json has the shape that families.ts reads');
  const traits = new Map<string, FamilyTraits>([[OTHER_FAMILY, traitsFrom(OTHER_FAMILY, {})]]);
  for (const [family, facts] of Object.entries(data.families)) traits.set(family, traitsFrom(family, facts));
  const patterns = data.patterns.map(({ match, family }) => {
    assert(traits.has(family), `families.json: the pattern ${match} names a family that is not there`);
    return { expression: patternExpression(match), family };
  });
  return {
    naming: { clientPrefix: data.clientPrefix, autoPrefixes: data.autoPrefixes },
    names: () => traits.keys(),
    traitsOf(modelId, family) {
      const name = family ?? patterns.find((pattern) => pattern.expression.test(modelId))?.family ?? OTHER_FAMILY;
      const found = traits.get(name);
      assert(found !== undefined, 'families are validated before they are used');
      return found;
    },
  };
}

function traitsFrom(family: string, facts: Static<typeof FamilyFacts>): FamilyTraits {
  return {
    family,
    keepsOpenAiOnlyFields: facts.keepsOpenAiOnlyFields ?? false,
    messagesMax: facts.messagesMax ?? null,
    isThinkingOptIn: facts.isThinkingOptIn ?? false,
    thinkingCompletionMultiplier: facts.thinkingCompletionMultiplier ?? 1,
    isReasoningMandatory: facts.isReasoningMandatory ?? false,
    isReasoningAsked: facts.isReasoningAsked ?? false,
    pictureTokensMax: facts.pictureTokensMax ?? PICTURE_TOKENS_MAX,
    picturesExceedContext: facts.picturesExceedContext ?? false,
    tokenizer: facts.tokenizer ?? null,
  };
}

function patternExpression(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`);
}
