// The labelled texts of the guardrails, and which of them may be learnt from. A hash of a text decides its part: adding
// or reordering texts moves none of the others, and nobody chooses what is tested.

import { readdirSync, readFileSync } from 'node:fs';
import { hashOf } from './auto-prompts.ts';

export type LabelledText = Readonly<{
  /** The name of its file: a category of the policy, or a language. */
  set: string;
  isViolating: boolean;
  text: string;
}>;

const FOLDER = new URL('../../gateway/test/guardrails/sets/', import.meta.url);
const HELD_OUT_PERCENT = 30;

export type SetName = 'moderation' | 'moderation-unseen' | 'injections' | 'injections-unseen';

/** One text a line; `+` before those that must be caught, `-` before those that only look like it. */
export function readSets(name: SetName): readonly LabelledText[] {
  const folder = new URL(`${name}/`, FOLDER);
  return readdirSync(folder)
    .sort()
    .flatMap((file) =>
      readFileSync(new URL(file, folder), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({
          set: file.replace('.txt', ''),
          isViolating: line.startsWith('+'),
          text: line.slice(2).replaceAll('\\n', '\n'),
        })),
    );
}

export const isHeldOut = ({ text }: LabelledText): boolean => hashOf(text) % 100 < HELD_OUT_PERCENT;
