// The architecture and the conventions of this tree as an executable table. Every rule first proves on samples that it
// still works, then reads the whole tree and prints each violation with its place.

import { describe, expect, test } from 'vitest';
import { boundaryRules } from './tidy/boundary-rules.ts';
import { layerRules } from './tidy/layer-rules.ts';
import type { Sample } from './tidy/rule.ts';
import { shapeRules } from './tidy/shape-rules.ts';
import { readTree, type SourceFile, sourceFile } from './tidy/source-file.ts';
import { sqlRules } from './tidy/sql-rules.ts';

const tree = readTree();

const asFile = ({ path, text }: Sample): SourceFile => sourceFile(path, text);

test('the tree was found', () => {
  expect(tree.filter(({ path }) => path.startsWith('gateway/src/')).length).toBeGreaterThan(15);
});

describe.each([...layerRules, ...boundaryRules, ...shapeRules, ...sqlRules])('$name', (rule) => {
  test('sees what it looks for, and only that', () => {
    for (const sample of rule.offends) expect(rule.find([asFile(sample)]), sample.text).not.toEqual([]);
    for (const sample of rule.accepts ?? []) expect(rule.find([asFile(sample)]), sample.text).toEqual([]);
  });

  test('holds in the whole tree', () => {
    const violations = rule.find(tree).map(({ path, line, text }) => `${path}:${line}  ${text}`);
    expect(violations, `${rule.protects}\n${violations.join('\n')}`).toEqual([]);
  });
});

test('strings, templates, comments and patterns are told apart', () => {
  const hole = '$'.concat('{');
  const text = `const a = /'[/]/; // it's\nconst b = \`x ${hole}f({ c: '}' })} // y\`; /* z */ d('//');`;
  const file = sourceFile('gateway/src/a.ts', text);
  expect(file.code.map((line) => line.replace(/\s+/g, ' '))).toEqual([
    "const a = ' '; ",
    `const b = \` ${hole}f({ c: ' ' })} \`; d(' ');`,
  ]);
  expect(file.spoken[1]).toContain('// y`;');
  expect(file.spoken[0]).not.toContain('it');
});
