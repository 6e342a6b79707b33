// Rules on the layout of SQL. Statements are template texts that begin with a keyword of a statement; text in brackets
// is part of a line's clause, so only clauses of the outermost level are checked.

import { fileRule, isProduct, type Rule, type Violation } from './rule.ts';
import type { SourceFile } from './source-file.ts';

const STATEMENT = /`(\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b(?:[^`\\]|\\.)*)`/g;
const CLAUSE = /^(?:WHERE|GROUP BY|HAVING|ORDER BY|ON CONFLICT|RETURNING)\b/;

/** The text with everything in brackets, quotes and holes as blanks; line breaks stay. */
function outermost(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  let plain = text.replace(/'(?:[^'\n]|'')*'/g, blank);
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(/\$?\{[^{}]*\}|\([^()]*\)/g, blank);
  }
  return plain;
}

function crowdedClauses({ path, raw }: SourceFile): Violation[] {
  const text = raw.join('\n');
  return [...text.matchAll(STATEMENT)].flatMap(({ index, 1: statement = '' }) => {
    if (!statement.includes('\n')) return [];
    const first = text.slice(0, index).split('\n').length;
    return outermost(statement)
      .split('\n')
      .flatMap((line, offset) => {
        const words = [...line.matchAll(/(?<=\S\s+)[A-Z]+(?: [A-Z]+)?\b/g)].map(([word]) => word);
        const late = words.find((word) => CLAUSE.test(word));
        return late === undefined ? [] : [{ path, line: first + offset, text: `${late} should begin a line` }];
      });
  });
}

export const sqlRules: readonly Rule[] = [
  fileRule({
    name: 'a clause of a longer statement begins a line',
    protects: 'Statements read alike in every store: what is asked, of what, on which condition, in which order.',
    offends: [
      { path: 'gateway/src/modules/usage/store.ts', text: 'sql("a", `SELECT 1\n   FROM usage WHERE id = $1`);' },
      { path: 'gateway/src/modules/usage/store.ts', text: 'sql("a", `UPDATE a SET b = 1\n   WHERE c RETURNING b`);' },
    ],
    accepts: [
      { path: 'gateway/src/modules/usage/store.ts', text: 'sql("a", `SELECT 1 FROM usage WHERE id = $1`);' },
      {
        path: 'gateway/src/modules/usage/store.ts',
        text: 'sql("a", `SELECT 1 FROM usage u\n   WHERE id IN (SELECT id FROM b\n WHERE c ORDER BY d) FOR UPDATE`);',
      },
    ],
    applies: isProduct,
    judge: crowdedClauses,
  }),
];
