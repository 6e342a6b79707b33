// Checks a regular expression when it is given: whether RE2 accepts it, how large its program is, and whether it would
// match an empty text. The error says what to do instead.

import { ApiError } from '../../../errors/api-error.ts';
import type { PatternPool } from './pattern-pool.ts';

/** Matching takes time in proportion to this and to the length of the text. */
const PROGRAM_SIZE_MAX = 1_000;

/** Answers the size of the program. */
export async function checkPattern(pool: PatternPool, orgId: string, source: string): Promise<number> {
  const reply = await pool.ask(orgId, { kind: 'check', source });
  if (reply === null) throw refuse('takes too long to compile; write it with fewer or smaller repetitions');
  if (typeof reply.problem === 'string') throw refuse(explain(reply.problem));
  const size = reply.programSize ?? PROGRAM_SIZE_MAX + 1;
  if (size > PROGRAM_SIZE_MAX) {
    throw refuse(`is too large: it compiles to ${size} steps, at most ${PROGRAM_SIZE_MAX} are allowed`);
  }
  if (reply.matchesNothing === true) throw refuse('matches an empty text, and so everything; require a character');
  return size;
}

const refuse = (problem: string): ApiError => new ApiError('http_400', `pattern: the regular expression ${problem}.`);

/** Features of other engines that RE2 leaves out for the sake of speed. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/`\(\?<?[=!]|invalid named capture: `\(\?<[=!]/, 'uses look-ahead or look-behind, which is not supported'],
  [/invalid escape sequence: `\\(?:[1-9]|k)/, 'uses a back-reference, which is not supported'],
  [/`\(\?>|nested repetition operator: `.\+`/, 'uses a possessive or atomic group, which is not supported'],
  [/invalid repeat count|invalid repeat size/, 'repeats too often; a repetition may be of at most 1000'],
  [/expression nests too deeply|expression too large/, 'is too large'],
];

function explain(problem: string): string {
  const known = UNSUPPORTED.find(([pattern]) => pattern.test(problem));
  return known?.[1] ?? `cannot be read (${problem.replace('error parsing regexp: ', '')})`;
}
