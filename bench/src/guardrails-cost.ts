// What reviewing costs: microseconds of CPU for a kilobyte of text, and what matching a pattern takes where it is done on
// the spot, pattern by pattern.

import { RE2JS } from 're2js';
import { readInjections } from '../../gateway/src/modules/guardrails/guardrail-data.ts';
import { readBuiltInPolicy } from '../../gateway/src/modules/guardrails/moderation/built-in.ts';
import { compileLexicon } from '../../gateway/src/modules/guardrails/phrases/lexicon.ts';
import { createDataTemplates } from '../../gateway/src/modules/guardrails/templates/all.ts';
import { findInText } from '../../gateway/src/modules/guardrails/templates/find-in-text.ts';
import { readPrompts } from './auto-prompts.ts';

const TEXT_LENGTH = 4_096;
const ROUNDS = 9;

/** The smallest of several means: whatever else the machine does only adds to it. */
function microseconds(times: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time += 1) run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / times);
  }
  return best;
}

/** Real prompts of every language, one after the other. */
function sampleText(length: number): string {
  const prompts = readPrompts()
    .map(({ text }) => text)
    .join('\n');
  return Buffer.from(prompts.repeat(Math.ceil(length / prompts.length)).slice(0, length)).toString();
}

/** Each grows the work of the matcher in its own way. */
const PATTERNS = [
  'project[- ]?(alpha|beta)',
  '(?i)secret.{0,40}key',
  '[a-z]+\\d+z',
  '(a+)+$',
  '(.*a){20}',
  '(x+x+)+y',
  '([a-zA-Z0-9._%+-]+)@([a-z]+\\.)+com',
  '(\\w+\\s?)+;',
  '(?i)(one|two|three|four|five|six|seven)\\W+(one|two|three)',
];

export function printCosts(): void {
  const text = sampleText(TEXT_LENGTH);
  const policy = readBuiltInPolicy();
  const injections = compileLexicon(readInjections());
  const templates = [...createDataTemplates()];
  console.log(`\nCPU time for ${TEXT_LENGTH} characters`);
  const print = (name: string, us: number): void => console.log(`  ${us.toFixed(0).padStart(6)} us  ${name}`);
  print(
    'moderation, all categories',
    microseconds(100, () => policy.find(text, 0, text.length)),
  );
  print(
    'template prompt_injection',
    microseconds(100, () => injections.find(text, 0, text.length)),
  );
  for (const [name, template] of templates) {
    print(
      `template ${name}`,
      microseconds(100, () => findInText(template, text, 0, text.length)),
    );
  }
  console.log('\nCPU time of patterns matched on the spot, for characters x program steps = 20000');
  for (const source of PATTERNS) {
    const pattern = RE2JS.compile(source);
    const length = Math.floor(20_000 / pattern.programSize());
    const piece = sampleText(length);
    const run = (): void => {
      const matcher = pattern.matcher(piece);
      if (pattern.test(piece)) while (matcher.find());
    };
    print(`${source} (${pattern.programSize()} steps, ${length} characters)`, microseconds(50, run));
  }
}
