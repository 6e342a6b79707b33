// A source file as the tidiness rules read it: its lines in three views, with the line numbers kept. `code` has
// comments and the contents of strings blanked, `spoken` only comments, `raw` nothing; a rule picks the view in which
// its own subject does not appear in comments by accident.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export type SourceFile = Readonly<{
  /** From the root of the repository, with forward slashes. */
  path: string;
  raw: readonly string[];
  code: readonly string[];
  spoken: readonly string[];
}>;

export type Import = Readonly<{ line: number; specifier: string; target: string | null }>;

const root = fileURLToPath(new URL('../../..', import.meta.url));

type Blanked = { code: string; spoken: string };

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** A slash begins a regular expression where a value may begin, and divides elsewhere. */
const VALUE_MAY_BEGIN = /(?:^|[=(,:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|await))\s*$/;
const REGULAR_EXPRESSION = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const QUOTED = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y;

function matchAt(pattern: RegExp, text: string, offset: number): string | null {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? null;
}

/** Appends the token at `offset` to both views and says where it ended. */
function copyToken(text: string, offset: number, views: Blanked): number {
  const character = text[offset] ?? '';
  if (character !== '/' && character !== "'" && character !== '"') {
    views.code += character;
    views.spoken += character;
    return offset + 1;
  }
  const comment = matchAt(COMMENT, text, offset);
  if (comment !== null) {
    views.code += blank(comment);
    views.spoken += blank(comment);
    return offset + comment.length;
  }
  const isPattern = character === '/' && VALUE_MAY_BEGIN.test(views.code.slice(-40));
  const literal = matchAt(isPattern ? REGULAR_EXPRESSION : QUOTED, text, offset);
  if (literal !== null) {
    views.code += `'${blank(literal.slice(1, -1))}'`;
    views.spoken += literal;
    return offset + literal.length;
  }
  views.code += character;
  views.spoken += character;
  return offset + 1;
}

/** Copies the text of a template up to its end or to the next `${`. */
function copyTemplateText(text: string, start: number, views: Blanked): { offset: number; isOpen: boolean } {
  let offset = start;
  while (offset < text.length) {
    const piece = text[offset] === '\\' ? text.slice(offset, offset + 2) : (text[offset] ?? '');
    const isEnd = piece === '`';
    const isHole = text.startsWith('${', offset);
    views.spoken += isHole ? '${' : piece;
    views.code += isEnd ? '`' : isHole ? '${' : blank(piece);
    offset += isHole ? 2 : piece.length;
    if (isEnd || isHole) return { offset, isOpen: isHole };
  }
  return { offset, isOpen: false };
}

function blankedViews(text: string): Blanked {
  const views: Blanked = { code: '', spoken: '' };
  /** For each open template hole, how many braces were opened inside it. */
  const holes: number[] = [];
  let offset = 0;
  while (offset < text.length) {
    const character = text[offset];
    const depth = holes.at(-1);
    const endsHole = character === '}' && depth === 0;
    if (character === '`' || endsHole) {
      views.code += character;
      views.spoken += character;
      if (endsHole) holes.pop();
      const template = copyTemplateText(text, offset + 1, views);
      if (template.isOpen) holes.push(0);
      offset = template.offset;
      continue;
    }
    if (depth !== undefined && character === '{') holes[holes.length - 1] = depth + 1;
    if (depth !== undefined && character === '}') holes[holes.length - 1] = depth - 1;
    offset = copyToken(text, offset, views);
  }
  return views;
}

export function sourceFile(path: string, text: string): SourceFile {
  const views = blankedViews(text);
  return { path, raw: text.split('\n'), code: views.code.split('\n'), spoken: views.spoken.split('\n') };
}

const SPECIFIER = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)(['"])([^'"\n]+)\1/g;

/** The imports of a file; `target` is the imported file from the root, or null for a package. */
export function importsOf(file: SourceFile): Import[] {
  const folder = file.path.split('/').slice(0, -1);
  return file.spoken.flatMap((text, index) =>
    [...text.matchAll(SPECIFIER)].map((match) => {
      const specifier = match[2] ?? '';
      const target = specifier.startsWith('.') ? join(...folder, specifier).replaceAll('\\', '/') : null;
      return { line: index + 1, specifier, target };
    }),
  );
}

const IGNORED_FOLDERS = new Set(['node_modules', 'dist', 'data', 'results', '__fixtures__']);

function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return IGNORED_FOLDERS.has(entry.name) ? [] : pathsBelow(join(folder, entry.name));
    return [join(folder, entry.name)];
  });
}

/** Every hand-written file of the tree that a rule may concern. */
export function readTree(): SourceFile[] {
  return ['gateway', 'simulator', 'bench', 'scripts', 'console']
    .flatMap((folder) => pathsBelow(join(root, folder)))
    .filter((path) => /\.(?:tsx?|mjs|js|sql)$/.test(path))
    .map((path) => sourceFile(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')));
}
