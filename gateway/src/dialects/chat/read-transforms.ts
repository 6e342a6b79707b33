// What a caller allows to be done to a prompt that is too long; the field is the same in every dialect. To say nothing
// and to allow nothing are different answers.

import { checkField } from './parse-sampling.ts';

export function readTransforms(transforms: unknown): readonly string[] | null {
  checkField('transforms', transforms);
  return Array.isArray(transforms) ? transforms.map(String) : null;
}
