// The documents are compared with the tree: whatever a page names must exist, and everything that an operator can set
// or run must be on a page. Pages are read as text, so a name in a sentence counts as much as one in an example.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../config.ts';
import { ConfigDocument } from '../contract/config.ts';
import { findCommand, leadingWords, parseArguments } from './arguments.ts';
import { allCommands } from './commands/all.ts';
import { commandReference } from './reference.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist', 'data', '.git']);

/** Variables of other programs, and whose they are. */
const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  TOLLGATE_URL: 'the command line, which asks a gateway',
  TOLLGATE_API_KEY: "a client's own environment in docs/clients.md",
  TOLLGATE_MANAGEMENT_KEY: 'the environment of a program that manages keys, in docs/clients.md',
  TOLLGATE_CRASH_ROUNDS: 'the crash tests',
  TOLLGATE_UPDATE_DOCS: 'the test of docs/cli.md',
  TOLLGATE_UPDATE_SURFACE: 'the test of the published routes',
};

type Page = Readonly<{ path: string; text: string }>;

function pagesBelow(folder: string): Page[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : pagesBelow(path);
    return entry.name.endsWith('.md') ? [{ path: relative(root, path), text: readFileSync(path, 'utf8') }] : [];
  });
}

const pages = pagesBelow(root);

/** Every match of a pattern's first group, with the page it is on. */
const mentions = (pattern: RegExp): { path: string; found: string }[] =>
  pages.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((match) => ({ path, found: match[1] ?? '' })));

const withoutFences = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '');

/** As GitHub names them. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const anchorsIn = (text: string): string[] =>
  [...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ''));

test('the pages were found', () => {
  expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/operations.md']));
});

test('links and pictures lead somewhere', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^(?:https?|mailto):/.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      const absolute = file === '' ? join(root, path) : join(root, dirname(path), file);
      if (!existsSync(absolute)) return [`${path}: ${target} does not exist`];
      if (anchor === undefined || !absolute.endsWith('.md')) return [];
      return anchorsIn(readFileSync(absolute, 'utf8')).includes(anchor)
        ? []
        : [`${path}: ${target} has no such heading`];
    }),
  );
  expect(broken).toEqual([]);
});

test('every script that is named can be run', () => {
  const scriptsOf = (folder: string): string[] =>
    Object.keys(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).scripts ?? {});
  const unknown = mentions(/npm run ([\w:-]+(?: --workspace \w+)?)/g).filter(({ found }) => {
    const [script = '', workspace = '.'] = found.split(' --workspace ');
    return !scriptsOf(workspace).includes(script);
  });
  expect(unknown).toEqual([]);
});

describe('variables', () => {
  /** Every name that the gateway asks its environment for, with nothing set and with everything set wrongly. */
  function askedFor(): Set<string> {
    const names = new Set<string>();
    for (const value of [undefined, '?']) {
      const environment = new Proxy<Record<string, string | undefined>>({}, { get: (_, name) => note(String(name)) });
      const note = (name: string) => {
        names.add(name);
        return value;
      };
      try {
        readConfig(environment);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    }
    return names;
  }

  test('that are named exist', () => {
    const known = new Set([...askedFor(), ...Object.keys(OTHER_VARIABLES)]);
    const named = mentions(/\b(TOLLGATE_[A-Z][A-Z0-9_]*)\b/g);
    expect(named.filter(({ found }) => !known.has(found))).toEqual([]);
  });

  test('that exist are in docs/operations.md', () => {
    const { text = '' } = pages.find(({ path }) => path === 'docs/operations.md') ?? {};
    const names = [...askedFor()];
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

test('every field of the config file is explained', () => {
  const explained = pages
    .filter(({ path }) => /^docs\/(?:operations|guardrails|auto-router)\.md$/.test(path))
    .map(({ text }) => text)
    .join('\n');
  const missing = [...fieldsOf(ConfigDocument)].filter((name) => !new RegExp(`\\b${name}\\b`).test(explained));
  expect(missing).toEqual([]);
});

/** By name, at any depth. */
function fieldsOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  if ('properties' in schema) for (const name of Object.keys(schema.properties ?? {})) found.add(name);
  for (const part of Object.values(schema)) fieldsOf(part, found);
  return found;
}

describe('commands', () => {
  /**
   * A command in a block or a span of code, after nothing but blanks, a prompt, `npx`, or the command that it is an
   * argument of.
   */
  const lines = pages.flatMap(({ path, text }) => {
    const code = [
      ...[...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.split('\n')),
      ...[...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span),
    ];
    return code.flatMap((line) =>
      [...line.matchAll(/(?:^|[\s$(;&|])tollgate ([a-z-][^#|;&)]*)/g)].map(([, words = '']) => ({ path, words })),
    );
  });

  test('that are named exist, with their options', () => {
    expect(lines.length).toBeGreaterThan(20);
    const wrong = lines.flatMap(({ path, words }) => {
      const typed = [...words.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
        ([, double, single, bare]) => double ?? single ?? bare ?? '',
      );
      const leading = leadingWords(typed);
      if (leading.length === 0) return [];
      const command = findCommand(allCommands, leading);
      if (command === null) return [`${path}: tollgate ${words}`];
      // A sentence may name a command without its arguments; a line that people type must have all of them.
      const isWhole = typed.length > command.words.length && !/[A-Z]{3}|\[/.test(words);
      if (!isWhole || typed.includes('--help')) return [];
      try {
        parseArguments(allCommands, command, typed);
        return [];
      } catch (error) {
        return [`${path}: tollgate ${words}: ${error instanceof Error ? error.message : error}`];
      }
    });
    expect(wrong).toEqual([]);
  });

  test('are in docs/cli.md, which is made from them', () => {
    const file = join(root, 'docs/cli.md');
    const made = commandReference(allCommands);
    // TOLLGATE_UPDATE_DOCS=yes writes the page instead of comparing it.
    if (process.env.TOLLGATE_UPDATE_DOCS === 'yes') writeFileSync(file, made);
    expect(readFileSync(file, 'utf8')).toBe(made);
  });
});
