// `npm run coverage:spec`: the requirement ids of docs/requirements-index.txt that no test's title names. An id counts
// only where it is written out in a title, because a range or a comment proves nothing when one test of it is removed.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const testFolders = ['gateway/src', 'gateway/test', 'simulator/src'];

/** A title opens a call of test, it or describe, also through `.each(…)` and others; a skipped test proves nothing. */
const TITLE = /\b(?:test|it|describe)(?:\.(?!skip\b|todo\b)\w+(?:\([^\n]*?\))?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
/** The title behind a table of several lines: the table's closing bracket and the call stand on one line. */
const TABLE_TITLE = /^\s*\](?: as const)?\)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gms;
/** The first cell of a row is a title where the table's own title is its placeholder. */
const CELL_TITLE = /^\s*\[\s*(['"`])([A-Z]{2,5}-\d{2}\b(?:\\.|(?!\1).)*)\1/gms;
/** The rows of a table of tests carry their title in a field of that name. */
const ROW_TITLE = /\btitle:\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
const TITLES = [TITLE, TABLE_TITLE, CELL_TITLE, ROW_TITLE];
const REQUIREMENT_ID = /\b[A-Z]{2,5}-\d{2}\b/g;

function testFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function readIndex() {
  const areas = new Map();
  for (const line of readFileSync(join(root, 'docs/requirements-index.txt'), 'utf8').split('\n')) {
    const [, id, area, text] = /^(([A-Z]+)-\d+) (.*)$/.exec(line) ?? [];
    if (id === undefined) continue;
    if (!areas.has(area)) areas.set(area, []);
    areas.get(area).push({ id, text });
  }
  return areas;
}

function namedIds() {
  const named = new Map();
  for (const file of testFolders.flatMap(testFiles)) {
    const text = readFileSync(file, 'utf8');
    for (const [, , title] of TITLES.flatMap((pattern) => [...text.matchAll(pattern)])) {
      for (const [id] of title.matchAll(REQUIREMENT_ID)) named.set(id, file.slice(root.length));
    }
  }
  return named;
}

const areas = readIndex();
const named = namedIds();
const known = new Set([...areas.values()].flat().map(({ id }) => id));
let namedCount = 0;

for (const [area, requirements] of areas) {
  const missing = requirements.filter(({ id }) => !named.has(id));
  namedCount += requirements.length - missing.length;
  console.log(
    `${area.padEnd(6)} ${String(requirements.length - missing.length).padStart(3)} of ${requirements.length}`,
  );
  for (const { id, text } of missing) console.log(`         ${id.padEnd(9)} ${text}`);
}
for (const [id, file] of named) {
  // Decisions on ambiguities (AMB) may be cited beside the requirements they decide.
  if (!known.has(id) && !id.startsWith('AMB-')) console.log(`Unknown id ${id} in a title of ${file}`);
}
console.log(`\n${namedCount} of ${known.size} requirements are named by a test; ${known.size - namedCount} are not.`);
