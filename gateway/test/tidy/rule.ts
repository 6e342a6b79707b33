// A tidiness rule: a name, the harm it prevents, a way to find violations, and a sample that it must find, so that a
// rule which no longer works fails its own test.

import type { SourceFile } from './source-file.ts';

export type Violation = Readonly<{ path: string; line: number; text: string }>;

export type Sample = Readonly<{ path: string; text: string }>;

export type Rule = Readonly<{
  name: string;
  /** One sentence: what goes wrong in a tree without the rule. */
  protects: string;
  offends: readonly Sample[];
  /** What looks similar and must pass. */
  accepts?: readonly Sample[];
  find(files: readonly SourceFile[]): readonly Violation[];
}>;

export const isTest = (path: string): boolean =>
  /\.test\.tsx?$/.test(path) || path.startsWith('gateway/test/') || path.startsWith('bench/');

export const isProduct = (path: string): boolean => path.startsWith('gateway/src/') && !isTest(path);

/** Where SQL may be. */
export const isStore = (path: string): boolean =>
  /^gateway\/src\/modules\/[^/]+\/store(?:\.ts$|\/)/.test(path) || path.startsWith('gateway/src/platform/db/');

export const isScript = (path: string): boolean => /\.(?:tsx?|mjs|js)$/.test(path);

/** A rule that is about one line at a time. */
export function lineRule(
  rule: Omit<Rule, 'find'> &
    Readonly<{ view: 'raw' | 'code' | 'spoken'; applies(path: string): boolean; pattern: RegExp }>,
): Rule {
  return {
    ...rule,
    find: (files) =>
      files
        .filter(({ path }) => rule.applies(path))
        .flatMap((file) =>
          file[rule.view].flatMap((line, index) =>
            rule.pattern.test(line) ? [{ path: file.path, line: index + 1, text: (file.raw[index] ?? '').trim() }] : [],
          ),
        ),
  };
}

/** A rule that judges each file as a whole. */
export function fileRule(
  rule: Omit<Rule, 'find'> &
    Readonly<{ applies(path: string): boolean; judge(file: SourceFile): readonly Violation[] }>,
): Rule {
  return {
    ...rule,
    find: (files) => files.filter(({ path }) => rule.applies(path)).flatMap((file) => rule.judge(file)),
  };
}
