// The pages that lead through the sources name only files and folders that exist: a person who moves a file changes the
// pages too. A pattern such as `dialects/<name>/` has at least one example.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGES = ['docs/adding.md', 'docs/architecture.md'];
/** Folders that a page may leave out before a path, because its reader knows which one is meant. */
const ROOMS = ['gateway', 'gateway/src'];
const PACKAGES = ['gateway', 'console', 'simulator', 'bench', 'sdk', 'docs', 'deploy', 'scripts'];
const BUILT = new Set(['node_modules', 'dist', 'coverage', 'results']);
const PATH = /^(?=.*[a-z])[\w.<>-]+(?:\/[\w.<>-]+)*\/?$/;
const FILE = /\.(?:ts|tsx|mjs|json|jsonl|yaml|sql|md|txt)$/;
/** The name at the beginning of a line of the map, indented by its depth. */
const MAP_LINE = /^( *)([\w.-]+\/?)(?: {2,}\S.*)?$/;

const pageText = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Words in code style that are paths: with a slash inside or at the end, or with the ending of a file. */
function pathsIn(text: string): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const words = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
  return [...new Set(words.filter((word) => PATH.test(word) && (word.includes('/') || FILE.test(word))))];
}

/** The paths of a map that is drawn as a tree of names. */
function pathsInMap(text: string): readonly string[] {
  const [, map = ''] = /^```\n(gateway\/\n[\s\S]*?)^```/m.exec(text) ?? [];
  const above: string[] = [];
  return map.split('\n').flatMap((line) => {
    const [, indent = '', name] = MAP_LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const depth = indent.length / 2;
    // Text further to the right is the rest of a sentence.
    if (depth > above.length) return [];
    above.splice(depth, above.length, name.replace(/\/$/, ''));
    return [above.join('/')];
  });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (BUILT.has(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? [`${path}/`, ...filesIn(path)] : [path];
  });
}

const all = PACKAGES.flatMap(filesIn);

function isThere(path: string): boolean {
  const bare = path.replace(/\/$/, '');
  if (existsSync(join(ROOT, bare))) return true;
  if (!path.includes('<') && path.includes('/')) return ROOMS.some((room) => existsSync(join(ROOT, room, bare)));
  // A file that is named alone is in the folder that the sentence is about.
  const pattern = bare.replace(/[.]/g, '\\.').replace(/<\w+>/g, '[\\w-]+');
  const ofRoom = path.includes('/') ? '(?:gateway/|gateway/src/)?' : '(?:.*/)?';
  const wanted = new RegExp(`^${ofRoom}${pattern}/?$`);
  return all.some((known) => wanted.test(known));
}

test.each(PAGES)('%s names files and folders that are there', (page) => {
  const paths = [...pathsIn(pageText(page)), ...pathsInMap(pageText(page))];
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

test('the map of the rooms is read as far down as it is drawn', () => {
  const paths = pathsInMap(pageText('docs/architecture.md'));
  expect(paths).toEqual(expect.arrayContaining(['gateway/src/main.ts', 'gateway/src/platform', 'simulator', 'deploy']));
});

test('a path that leads nowhere is seen', () => {
  const text = 'See `pipeline/nowhere.ts`, `nowhere.ts`, `nowhere/<name>/` and `LISTEN/NOTIFY`, `pipeline/<name>.ts`.';
  expect(pathsIn(text).filter((path) => !isThere(path))).toEqual([
    'pipeline/nowhere.ts',
    'nowhere.ts',
    'nowhere/<name>/',
  ]);
});
