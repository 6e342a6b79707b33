// Rules on the shape of files and functions: names, sizes, openings, and a few constructs that have caused trouble
// before. The formatter formats the tree, so indentation shows where a function ends.

import { fileRule, isProduct, isScript, isTest, lineRule, type Rule, type Violation } from './rule.ts';
import type { SourceFile } from './source-file.ts';

const FILE_LINES_MAX = 400;
const STAGE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 60;

const lineCount = (file: SourceFile): number => file.raw.length - (file.raw.at(-1) === '' ? 1 : 0);

function tooLong(file: SourceFile, most: number): Violation[] {
  const lines = lineCount(file);
  return lines > most ? [{ path: file.path, line: lines, text: `${lines} lines, at most ${most}` }] : [];
}

const FUNCTION_START =
  /^(\s*)(?:(?:export |async |static |readonly |private |get |set )*(?:function\b|[\w#]+(?:<[^>]*>)?\((?!.*\);?$)|constructor\()|(?:export )?const \w+.*=>|.*=> \{$)/;
const CONTROL_FLOW = /^\s*(?:if|for|while|switch|catch|return|await|else|do)\b/;

/** Where the construct that begins on a line ends: at the next closing brace of the same indentation. */
function endOfBlock(file: SourceFile, start: number, indentation: string): number | null {
  for (let index = start + 1; index < file.code.length; index += 1) {
    const line = file.code[index] ?? '';
    if (!line.startsWith(indentation) || /^\s/.test(line.slice(indentation.length))) continue;
    const rest = line.slice(indentation.length);
    if (rest.startsWith('}') && !rest.endsWith('{')) return index;
    // Parameters spread over lines end with `) {` at the same indentation; anything else was no block.
    if (rest !== '' && !rest.startsWith(')') && !rest.startsWith('}')) return null;
  }
  return null;
}

function longFunctions(file: SourceFile): Violation[] {
  return file.code.flatMap((line, start) => {
    const match = FUNCTION_START.exec(line);
    if (match === null || CONTROL_FLOW.test(line)) return [];
    const end = endOfBlock(file, start, match[1] ?? '');
    const lines = end === null ? 0 : end - start + 1;
    if (lines <= FUNCTION_LINES_MAX) return [];
    return [{ path: file.path, line: start + 1, text: `a function of ${lines} lines: ${line.trim()}` }];
  });
}

const repeated = (line: string, times: number): string => `${line}\n`.repeat(times);

const isCode = (path: string): boolean => isScript(path) && !path.startsWith('console/');

const EXPORTED_TYPE = /^export (?:abstract )?(?:class|interface|type) (\w+)/;

/** Types of rows stay within their module, so that two stores may each have a row of the same name. */
function sharedTypeNames(files: readonly SourceFile[]): Violation[] {
  const places = new Map<string, string>();
  const violations: Violation[] = [];
  for (const { path, code } of files.filter((file) => isProduct(file.path) && !/\/store[./]/.test(file.path))) {
    for (const [index, line] of code.entries()) {
      const name = EXPORTED_TYPE.exec(line)?.[1];
      if (name === undefined) continue;
      const first = places.get(name);
      if (first !== undefined) violations.push({ path, line: index + 1, text: `${name} is also a type of ${first}` });
      places.set(name, `${path}:${index + 1}`);
    }
  }
  return violations;
}

/** A `hold` of money: a reservation, or a part of one. The verb is another matter. */
const HOLD_OF_MONEY = /\bhold\b(?=\s*(?:[.:=]|\) =>))|\w(?:Hold|Holds)\b/;

export const shapeRules: readonly Rule[] = [
  {
    name: 'a type has a name of its own',
    protects: 'One word for two ideas has to be looked up wherever it is read.',
    offends: [{ path: 'gateway/src/pipeline/a.ts', text: 'export type Turn = string;\nexport class Turn {}' }],
    accepts: [
      { path: 'gateway/src/pipeline/a.ts', text: 'export type Turn = string;\nexport const Turn = 1;' },
      { path: 'gateway/src/modules/a/store.ts', text: 'export type Row = string;\nexport type Row = number;' },
    ],
    find: sharedTypeNames,
  },
  lineRule({
    name: 'money is held by a reservation',
    protects: 'The vocabulary of docs/architecture.md has one word for each idea.',
    offends: [
      { path: 'gateway/src/modules/ledger/a.ts', text: 'for (const held of parts) outputHold.end();' },
      { path: 'gateway/src/pipeline/a.ts', text: 'const hold = await reserve();' },
    ],
    accepts: [{ path: 'gateway/src/modules/ledger/a.ts', text: 'this.#hold(amountNanoUsd); // a hold' }],
    view: 'code',
    applies: (path) => isProduct(path) && /\/(?:ledger|pipeline)\//.test(path),
    pattern: HOLD_OF_MONEY,
  }),
  fileRule({
    name: 'file names say what is inside',
    protects: 'A file named after nothing collects everything.',
    offends: [
      { path: 'gateway/src/http/utils.ts', text: '// Something.' },
      { path: 'gateway/src/modules/shared/store.ts', text: '// Something.' },
      { path: 'gateway/src/http/errorHandler.ts', text: '// Something.' },
      { path: 'gateway/src/http/server_v2.ts', text: '// Something.' },
    ],
    accepts: [{ path: 'gateway/src/http/error-handler.ts', text: '// Something.' }],
    applies: (path) => isScript(path),
    judge: ({ path }) => {
      const names = path.split('/');
      const banned = names.find((name) =>
        /(?:^|[-.])(?:utils?|helpers?|common|misc|shared|lib|manager)(?:[-.]|$)|_v\d/.test(name),
      );
      const odd = names.find((name) => !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*|__fixtures__)$/.test(name));
      const wrong = banned ?? odd;
      return wrong === undefined ? [] : [{ path, line: 1, text: `the name ${wrong}` }];
    },
  }),
  fileRule({
    name: 'a file opens with what it is for',
    protects: 'A newcomer decides in one sentence whether this is the file they need.',
    offends: [
      { path: 'gateway/src/http/server.ts', text: "import { x } from './x.ts';" },
      { path: 'gateway/src/http/server.ts', text: '// Server.' },
    ],
    accepts: [{ path: 'gateway/src/cli/main.ts', text: '#!/usr/bin/env node\n// The command line, thin over HTTP.' }],
    applies: isCode,
    judge: (file) => {
      const first = file.raw[0]?.startsWith('#!') ? 1 : 0;
      const opens = /^\/\/ \S.{20,}/.test(file.raw[first] ?? '');
      return opens ? [] : [{ path: file.path, line: first + 1, text: 'should open with a // sentence' }];
    },
  }),
  fileRule({
    name: 'files stay small',
    protects: 'Trees rot in their longest files, and those are the ones that every request passes.',
    offends: [{ path: 'gateway/src/http/server.ts', text: repeated('// A line.', FILE_LINES_MAX + 1) }],
    accepts: [{ path: 'gateway/src/http/server.ts', text: repeated('// A line.', FILE_LINES_MAX) }],
    applies: isScript,
    judge: (file) => tooLong(file, FILE_LINES_MAX),
  }),
  fileRule({
    name: 'stages stay smaller',
    protects: 'The journey of a call can be read stage by stage, each in one sitting.',
    offends: [{ path: 'gateway/src/pipeline/admit.ts', text: repeated('// A line.', STAGE_LINES_MAX + 1) }],
    applies: (path) => path.startsWith('gateway/src/pipeline/') && !isTest(path),
    judge: (file) => tooLong(file, STAGE_LINES_MAX),
  }),
  fileRule({
    name: 'functions fit on a screen',
    protects: 'Orchestrators grow without limit unless something stops them.',
    offends: [
      { path: 'gateway/src/http/server.ts', text: `export function run(): void {\n${repeated('  step();', 60)}}` },
      {
        path: 'gateway/src/http/server.ts',
        text: `function run({\n  a,\n}: A): void {\n${repeated('  step();', 60)}}`,
      },
      { path: 'gateway/src/http/server.ts', text: `const run = () => {\n${repeated('  step();', 60)}};` },
      { path: 'gateway/src/http/server.ts', text: `class A {\n  run(): void {\n${repeated('    step();', 60)}  }\n}` },
    ],
    accepts: [{ path: 'gateway/src/http/server.ts', text: `function run(): void {\n${repeated('  step();', 58)}}` }],
    applies: isProduct,
    judge: longFunctions,
  }),
  lineRule({
    name: 'no default exports',
    protects: 'One thing has one name in every file that uses it.',
    offends: [{ path: 'gateway/src/http/server.ts', text: 'export default server;' }],
    view: 'code',
    applies: isCode,
    pattern: /^\s*export\s+default\b|\bas\s+default\b/,
  }),
  lineRule({
    name: 'no barrels',
    protects: 'An import says which file it means, and importing one thing does not load twenty.',
    offends: [{ path: 'gateway/src/http/index.ts', text: "export * from './server.ts';" }],
    view: 'code',
    applies: isCode,
    pattern: /^\s*export\s+\*/,
  }),
  lineRule({
    name: 'no any',
    protects: 'One any switches the compiler off for everything that it touches.',
    offends: [
      { path: 'gateway/src/http/server.ts', text: 'const body: any = parse();' },
      { path: 'simulator/src/server.ts', text: 'const body = parse() as any;' },
      { path: 'gateway/test/harness.ts', text: 'const bodies: Record<string, any> = {};' },
    ],
    accepts: [{ path: 'gateway/src/http/server.ts', text: "const any = 'any of them'; // any: one" }],
    view: 'code',
    applies: (path) => path.endsWith('.ts'),
    pattern: /(?::|\bas|<|\||&|,\s*\w+:|extends|Record<\w+,)\s*any\b(?!\s*[(.])/,
  }),
  lineRule({
    name: 'nothing is left for later',
    protects: 'A note in a comment is a promise that nobody is asked to keep.',
    offends: [{ path: 'gateway/src/http/server.ts', text: `// ${'TO'}${'DO'}: the rest` }],
    view: 'raw',
    applies: (path) => !path.startsWith('gateway/test/tidy/'),
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/,
  }),
  lineRule({
    name: 'zero is not missing',
    protects: 'A limit, price or count of 0 is a value; `||` with a number turns it into another one.',
    offends: [
      { path: 'gateway/src/pipeline/money/meter.ts', text: 'const tokens = usage.prompt_tokens || 0;' },
      { path: 'gateway/src/pipeline/money/meter.ts', text: 'const cost = amount ||= 1n;' },
    ],
    accepts: [{ path: 'gateway/src/pipeline/money/meter.ts', text: 'const isPaid = cost > 0 || tokens > 10;' }],
    view: 'code',
    applies: (path) => isScript(path) && !isTest(path),
    pattern: /\|\|=?\s*-?\d[\d_.]*n?\s*(?:[;,)\]}?]|$)/,
  }),
];
