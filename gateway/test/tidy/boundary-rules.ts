// Rules on what may be written where: SQL, the environment, vendors, output. Each keeps one kind of knowledge in one
// place, so that a change concerns only that place.

import { fileRule, isProduct, isScript, isStore, lineRule, type Rule, type Violation } from './rule.ts';
import type { SourceFile } from './source-file.ts';

const STATEMENT = new RegExp(
  [
    String.raw`(?<![\w.])sql\(`,
    String.raw`\binsert\s+into\s+\w+`,
    String.raw`\bdelete\s+from\s+\w+`,
    String.raw`\bupdate\s+\w+\s+set\b`,
    String.raw`['"\x60(]\s*select\s+.*\bfrom\s+\w+`,
    String.raw`\bcreate\s+(?:unique\s+)?(?:table|index|database)\b`,
    String.raw`\b(?:pg_notify|pg_advisory\w*)\(`,
  ].join('|'),
  'i',
);

const VENDOR =
  /openai|anthropic|claude|\bgpt|qwen|gemini|mistral|deepseek|llama|codex|openrouter|bedrock|vertex|azure|cohere|\bgrok/i;

/** Where a vendor's word is part of a published interface, outside upstreams/, dialects/ and catalog/. */
const vendorWords: readonly Readonly<{ paths: readonly string[]; word: RegExp; because: string }>[] = [
  {
    paths: ['gateway/src/canonical/model.ts', 'gateway/src/modules/catalog/families.ts'],
    word: /keepsOpenAiOnlyFields/g,
    because: 'The trait is named after the fields it is about; catalog/families.json gives it to families.',
  },
  {
    paths: ['gateway/src/pipeline/call.ts'],
    word: /'x-openrouter-title'/g,
    because: 'Clients send the name of their application in this header.',
  },
  {
    paths: ['gateway/src/demo.ts'],
    word: /'openai\/gpt-4o-mini'|provider add openai/g,
    because: 'The first call that the demonstration prints names a model, and the first command a vendor.',
  },
  {
    paths: ['gateway/src/cli/commands/providers.ts', 'gateway/src/cli/commands/prices.ts'],
    word: /'(?:provider add openai --models gpt-4o-mini|provider test openai|prices show gpt-4o-mini)'/g,
    because: 'An example that can be typed as it stands names a vendor.',
  },
];

function withoutAllowedWords(path: string, line: string): string {
  const allowed = vendorWords.filter(({ paths }) => paths.includes(path));
  return allowed.reduce((text, { word }) => text.replace(word, ''), line);
}

function vendorViolations(file: SourceFile): Violation[] {
  return file.spoken.flatMap((line, index) =>
    VENDOR.test(withoutAllowedWords(file.path, line)) ? [{ path: file.path, line: index + 1, text: line.trim() }] : [],
  );
}

const STATEMENT_NAME = /(?<![\w.])sql\(\s*'([^']+)'/g;

function repeatedStatementNames(files: readonly SourceFile[]): Violation[] {
  const seen = new Map<string, string>();
  const violations: Violation[] = [];
  for (const file of files.filter(({ path }) => isProduct(path))) {
    const text = file.spoken.join('\n');
    for (const match of text.matchAll(STATEMENT_NAME)) {
      const name = match[1] ?? '';
      const line = text.slice(0, match.index).split('\n').length;
      const first = seen.get(name);
      if (first !== undefined) violations.push({ path: file.path, line, text: `${name} is also named in ${first}` });
      seen.set(name, `${file.path}:${line}`);
    }
  }
  return violations;
}

/**
 * The one that all others are made of, one that the browser itself sends on, and one that is sent again while it is
 * answered.
 */
const OTHER_FORMS: ReadonlySet<string> = new Set([
  'console/src/ui/form.tsx',
  'console/src/pages/sign-in/organization.tsx',
  'console/src/pages/playground/board.tsx',
]);

export const boundaryRules: readonly Rule[] = [
  lineRule({
    name: 'SQL only in stores',
    protects: 'Who reads or writes a table is found by looking in one file of one module.',
    offends: [
      { path: 'gateway/src/modules/usage/usage.ts', text: "const list = sql('usage_list', text);" },
      { path: 'gateway/src/pipeline/settle.ts', text: 'await query(`INSERT INTO ledger_entries VALUES (1)`);' },
      { path: 'gateway/src/jobs/sweep.ts', text: "const text = 'select id from reservations where true';" },
    ],
    accepts: [
      { path: 'gateway/src/modules/usage/store.ts', text: "const list = sql('usage_list', `select 1 from usage`);" },
      { path: 'gateway/src/pipeline/route.ts', text: '// Update what was set, and select one from the candidates.' },
    ],
    view: 'spoken',
    applies: (path) => isProduct(path) && !isStore(path),
    pattern: STATEMENT,
  }),
  {
    name: 'a statement has a name of its own',
    protects: 'The driver caches a plan under its name: two statements with one name run as the first of them.',
    offends: [
      { path: 'gateway/src/modules/keys/store.ts', text: "const a = sql('one', 'x');\nconst b = sql(\n  'one', 'y');" },
    ],
    accepts: [{ path: 'gateway/src/modules/keys/store.ts', text: "const a = sql('one', 'x');\nsql('two', 'y');" }],
    find: repeatedStatementNames,
  },
  lineRule({
    name: 'SQL has its words in capitals',
    protects: 'Statements read alike in every store and in the migrations.',
    offends: [
      { path: 'gateway/src/modules/usage/store.ts', text: "const list = sql('list', `select 1 FROM usage`);" },
      { path: 'gateway/src/modules/usage/store.ts', text: 'const COLUMNS = `key_id as "keyId"`;' },
      { path: 'gateway/src/modules/usage/store.ts', text: "const IN = 'WHERE id = any ($1::text[])';" },
      { path: 'gateway/src/modules/usage/store.ts', text: 'const CHANGES = `changes::text as changes`;' },
    ],
    accepts: [
      {
        path: 'gateway/src/modules/usage/store.ts',
        text: "const select = sql('list', `SELECT 1 FROM usage`); // select",
      },
      { path: 'gateway/src/modules/usage/usage.ts', text: "const words = 'in order by which they came';" },
    ],
    view: 'spoken',
    applies: (path) => isProduct(path) && isStore(path),
    pattern:
      /['\x60(\s]select [^=]| as "[a-z]|(?:\$\{\w+\}|::\w+) as [a-z]|[=<>] ?any ?\(|\b(?:insert into|delete from|order by|group by|left join|on conflict|for update|is not null)\b/,
  }),
  lineRule({
    name: 'the environment is read once',
    protects: 'Every setting is in the table of docs/operations.md, checked at start, and can be passed in by a test.',
    offends: [{ path: 'gateway/src/http/server.ts', text: 'const port = process.env.PORT;' }],
    accepts: [{ path: 'gateway/src/config.ts', text: 'const config = readConfig(process.env);' }],
    view: 'code',
    // The command line is a program of its own and hands its environment on, as main.ts does through config.ts.
    applies: (path) => isProduct(path) && path !== 'gateway/src/config.ts' && path !== 'gateway/src/cli/main.ts',
    pattern: /\bprocess\s*\.\s*env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
  }),
  fileRule({
    name: 'vendors are named only where they are spoken to',
    protects: 'A new vendor is a folder or a row of data; nothing in between has to learn its name.',
    offends: [
      { path: 'gateway/src/pipeline/route.ts', text: "if (provider.name === 'openai') return first;" },
      { path: 'gateway/src/modules/catalog/traits.ts', text: 'const isClaude = id.startsWith(prefix);' },
      { path: 'gateway/src/canonical/model.ts', text: "export type ProtocolName = 'openai' | 'anthropic';" },
    ],
    accepts: [
      { path: 'gateway/src/upstreams/registry.ts', text: 'const protocols = { openai, anthropic };' },
      { path: 'gateway/src/http/server.ts', text: '// SDKs of OpenAI send this header.' },
    ],
    applies: (path) => isProduct(path) && !/^gateway\/src\/(?:upstreams|dialects)\//.test(path),
    judge: vendorViolations,
  }),
  lineRule({
    name: 'output goes through the logger',
    protects: 'A line printed around the logger has no level, no request id and no redaction.',
    offends: [{ path: 'gateway/src/http/server.ts', text: 'console.log(request.headers);' }],
    accepts: [{ path: 'gateway/src/cli/main.ts', text: 'console.log(table);' }],
    view: 'code',
    applies: (path) => isProduct(path) && !path.startsWith('gateway/src/cli/'),
    pattern: /(?<![\w.])console\s*\./,
  }),
  lineRule({
    name: 'forms are sent in one way',
    protects:
      'A form that is sent by hand is sent twice, stays open to typing meanwhile, or hides what the gateway said.',
    offends: [{ path: 'console/src/pages/keys/a.tsx', text: '<form onSubmit={submit}>' }],
    accepts: [{ path: 'console/src/pages/keys/a.tsx', text: '<Form sending={change} read={wishOf}>' }],
    view: 'code',
    applies: (path) => path.startsWith('console/src/') && !OTHER_FORMS.has(path),
    pattern: /<form\b/,
  }),
  fileRule({
    name: 'the table of routes is a table',
    protects: 'The whole public surface can be read on one page, with nothing decided between its rows.',
    offends: [{ path: 'gateway/src/endpoints/routes.ts', text: 'if (isOpen) {\n  rows.push(row);\n}' }],
    applies: (path) => path === 'gateway/src/endpoints/routes.ts',
    judge: (file) =>
      file.code.flatMap((line, index) =>
        /\b(?:if|for|while|switch|await|throw|try|catch|new|class|let)\b|\.push\(|\?\s.*:/.test(line)
          ? [{ path: file.path, line: index + 1, text: line.trim() }]
          : [],
      ),
  }),
  {
    name: 'migrations count up and say why',
    protects: 'Every database takes the same steps in the same order, and the next reader learns the reason of each.',
    offends: [
      { path: 'gateway/migrations/0001-start.sql', text: 'create table t (id text);' },
      { path: 'gateway/migrations/later.sql', text: '-- A step that has no number.' },
    ],
    accepts: [{ path: 'gateway/migrations/0001-start.sql', text: '-- The first tables.\ncreate table t (id text);' }],
    find: (files) => {
      const migrations = files.filter(({ path }) => path.startsWith('gateway/migrations/'));
      return migrations
        .sort((left, right) => left.path.localeCompare(right.path))
        .flatMap((file, index, sorted) => {
          // A number may be missing, where steps were written side by side; none is used twice.
          const numberOf = (path: string | undefined) => path?.slice('gateway/migrations/'.length).split('-', 1)[0];
          const isNumbered =
            /\/\d{4}-[a-z0-9-]+\.sql$/.test(file.path) && numberOf(sorted[index - 1]?.path) !== numberOf(file.path);
          const opens = /^-- \S.{15,}/.test(file.raw[0] ?? '');
          return [
            ...(isNumbered
              ? []
              : [{ path: file.path, line: 1, text: 'its name should begin with a number of its own' }]),
            ...(opens ? [] : [{ path: file.path, line: 1, text: 'its first line should be a -- sentence' }]),
          ];
        });
    },
  },
  lineRule({
    name: 'a catch decides something',
    protects: 'A catch that does nothing hides the bug that it was written around.',
    offends: [{ path: 'gateway/src/jobs/sweep.ts', text: 'try { run(); } catch {}' }],
    accepts: [{ path: 'gateway/src/jobs/sweep.ts', text: 'try { run(); } catch (cause) { throw translate(cause); }' }],
    view: 'raw',
    applies: (path) => isScript(path) && isProduct(path),
    pattern: /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}/,
  }),
];
