// Rules on how SQL is written. Statements are template texts that begin with a keyword of a statement; text in brackets
// is part of a line's clause, so only the layout of clauses of the outermost level is checked.

import { fileRule, isProduct, isStore, type Rule, type Violation } from './rule.ts';
import type { SourceFile } from './source-file.ts';

const STATEMENT = /`(\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b(?:[^`\\]|\\.)*)`/g;
const CLAUSE = /^(?:WHERE|GROUP BY|HAVING|ORDER BY|ON CONFLICT|RETURNING)\b/;

const blank = (part: string): string => part.replace(/[^\n]/g, ' ');

/** The text with everything in brackets, quotes and holes as blanks; line breaks stay. */
function outermost(text: string): string {
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

const ONE_LINE = /'((?:SELECT|INSERT|UPDATE|DELETE|WITH|SET|LOCK) [^'\n]*)'/g;
/** Words that PostgreSQL takes for no name of a column, and words that are keywords only beside another. */
const SMALL_KEYWORD = new RegExp(
  [
    'all and any array as asc between by case cast conflict cross desc distinct do else end except exists for from full',
    'group having in inner intersect into is join lateral like limit materialized natural not null nulls on only or',
    'order outer over partition returning select set some table then to union unique using values when where window',
    'with within',
  ]
    .flatMap((words) => words.split(' '))
    .map((word) => String.raw`(?<![\w.$])${word}\b`)
    .concat(
      String.raw`\b(?:key(?= share)|row(?= exclusive)|rows(?= from \()|skip(?= locked)|transaction(?= isolation))`,
    )
    .concat(
      String.raw`\b(?:key(?= SHARE)|row(?= EXCLUSIVE)|rows(?= FROM \()|skip(?= LOCKED)|transaction(?= ISOLATION))`,
    )
    .join('|'),
  'g',
);

/** Comments, texts, quoted names and holes as blanks. */
function judged(statement: string): string {
  let plain = statement.replace(/--[^\n]*|'(?:[^'\n]|'')*'|"[^"\n]*"/g, blank);
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(/\$?\{[^{}]*\}/g, blank);
  }
  return plain;
}

function smallKeywords({ path, raw }: SourceFile): Violation[] {
  const text = raw.join('\n');
  const statements = [...text.matchAll(STATEMENT), ...text.matchAll(ONE_LINE)];
  return statements.flatMap(({ index, 1: statement = '' }) =>
    [...judged(statement).matchAll(SMALL_KEYWORD)].map((match) => {
      const line = text.slice(0, index + 1 + match.index).split('\n').length;
      return { path, line, text: `${match[0]} should be in capitals` };
    }),
  );
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
  fileRule({
    name: 'a statement has its keywords in capitals, the rare ones too',
    protects: 'Statements read alike in every store: what is the language and what is ours is seen at once.',
    offends: [
      {
        path: 'gateway/src/modules/usage/store.ts',
        text: 'sql("a", `SELECT 1 FROM b WHERE c = ANY (array (SELECT 1))`);',
      },
      { path: 'gateway/src/modules/usage/store.ts', text: 'sql("a", `SELECT * FROM rows from (f(), g())`);' },
      { path: 'gateway/src/modules/usage/store.ts', text: 'sql("a", `SELECT 1 FROM b ORDER BY c DESC nulls last`);' },
      { path: 'gateway/src/modules/usage/store.ts', text: 'sql("a", `SELECT 1 FROM b FOR key SHARE`);' },
      { path: 'gateway/src/modules/usage/store.ts', text: "sql('a', 'LOCK TABLE b IN SHARE row exclusive MODE');" },
    ],
    accepts: [
      {
        path: 'gateway/src/modules/usage/store.ts',
        text: `sql("a", \`SELECT count(*) AS rows, b.key, 'or' AS "from", right(b.c, 1) FROM b -- or so\n   WHERE $\{or} = 1\`);`,
      },
    ],
    applies: (path) => isProduct(path) && isStore(path),
    judge: smallKeywords,
  }),
];
