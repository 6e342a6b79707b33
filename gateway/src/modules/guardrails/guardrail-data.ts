// Reads the data of the guardrails from catalog/guardrails: phrases of the policy and of attacks on prompts, and the
// shapes of vendors' keys. A category or a language is added there, without code.

import { readdirSync, readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { assert } from '../../platform/assert.ts';
import type { LexiconData } from './phrases/lexicon.ts';
import type { ApiKeyShapes } from './templates/secrets.ts';

const LexiconFile = Type.Object(
  {
    groups: Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 }))),
    rules: Type.Array(
      Type.Object(
        {
          category: Type.String({ minLength: 1 }),
          near: Type.Array(Type.String(), { minItems: 1 }),
          within: Type.Optional(Type.Integer({ minimum: 1, maximum: 400 })),
          isOrdered: Type.Optional(Type.Boolean()),
          unless: Type.Optional(Type.Array(Type.String())),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

type LexiconFile = Static<typeof LexiconFile>;

/** The folder has the same place relative to the sources and to what is built from them. */
const FOLDER = new URL('../../../catalog/guardrails/', import.meta.url);

/** One file for each category. */
export const readPolicy = (): LexiconData => readLexicon('policy');

/** One file for each language. */
export const readInjections = (): LexiconData => readLexicon('injections');

export function readApiKeyShapes(): ApiKeyShapes {
  const shapes: unknown = JSON.parse(readFileSync(new URL('api-keys.json', FOLDER), 'utf8'));
  assert(Value.Check(Type.Array(Type.String()), shapes), 'catalog/guardrails/api-keys.json is a list of patterns');
  return shapes;
}

/** The groups of a file are its own: two files may use the same name for different phrases. */
function readLexicon(folderName: string): LexiconData {
  const folder = new URL(`${folderName}/`, FOLDER);
  const groups: Record<string, readonly string[]> = {};
  const rules: LexiconFile['rules'] = [];
  for (const name of readdirSync(folder).sort()) {
    const file: unknown = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    assert(Value.Check(LexiconFile, file), `catalog/guardrails/${folderName}/${name} has groups and rules`);
    const own = (group: string): string => (group.startsWith('common.') ? group : `${name}:${group}`);
    for (const [group, phrases] of Object.entries(file.groups)) groups[own(group)] = phrases;
    for (const { near, unless = [], ...rule } of file.rules) {
      rules.push({ ...rule, near: near.map(own), unless: unless.map(own) });
    }
  }
  return { groups, rules };
}
