// What reviewing costs: microseconds of CPU for a kilobyte of text, and what matching a pattern in the main thread
// takes, pattern by pattern.

import { matchRegexes } from '../../gateway/src/modules/guardrails/filters/match-regexes.ts';
import type { FilterRule } from '../../gateway/src/modules/guardrails/filters/rule.ts';
import { compileRuleSet } from '../../gateway/src/modules/guardrails/filters/rule-set.ts';
import { readInjections } from '../../gateway/src/modules/guardrails/guardrail-data.ts';
import { readBuiltInPolicy } from '../../gateway/src/modules/guardrails/moderation/built-in.ts';
import { compileLexicon } from '../../gateway/src/modules/guardrails/phrases/lexicon.ts';
import { checkPattern } from '../../gateway/src/modules/guardrails/regex/check-pattern.ts';
import { createPatternPool } from '../../gateway/src/modules/guardrails/regex/pattern-pool.ts';
import { createDataTemplates } from '../../gateway/src/modules/guardrails/templates/all.ts';
import { PieceSearch } from '../../gateway/src/modules/guardrails/templates/find-in-text.ts';
import { unitsOf } from '../../gateway/src/modules/guardrails/units.ts';
import { readPrompts } from './auto-prompts.ts';

const TEXT_LENGTH = 4_096;
const ROUNDS = 9;

/** The smallest of several means, because other load only adds to it. */
async function microseconds(times: number, run: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time += 1) await run();
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

/** Each increases the matcher's work in its own way. */
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

/** Texts that keep one or the other of them busy. */
const BUSY = ['a', 'ab', 'x', 'a1', 'one two '];
const IN_PLACE_COST = 20_000;

const print = (name: string, us: number): void => console.log(`  ${us.toFixed(0).padStart(6)} us  ${name}`);

export async function printCosts(): Promise<void> {
  const text = sampleText(TEXT_LENGTH);
  const policy = readBuiltInPolicy();
  const injections = compileLexicon(readInjections());
  console.log(`\nCPU time for ${TEXT_LENGTH} characters`);
  print('moderation, all categories', await microseconds(100, () => policy.find(text, 0, text.length)));
  print('template prompt_injection', await microseconds(100, () => injections.find(text, 0, text.length)));
  for (const [name, template] of createDataTemplates()) {
    print(`template ${name}`, await microseconds(100, () => new PieceSearch().find(template, text, 0, text.length)));
  }
  await printPatternCosts();
}

async function printPatternCosts(): Promise<void> {
  console.log(`\nCPU time of patterns matched on the spot, for characters x program steps = ${IN_PLACE_COST}`);
  const pool = createPatternPool();
  for (const source of PATTERNS) {
    const steps = await checkPattern(pool, 'bench', source);
    const rule = {
      type: 'regex',
      pattern: source,
      action: 'redact',
      isEnabled: true,
      programSize: steps,
    } as FilterRule;
    const ruleSet = compileRuleSet('bench', [rule], new Map());
    const length = Math.floor(IN_PLACE_COST / steps);
    let worst = 0;
    for (const busy of BUSY) {
      const units = unitsOf([
        { origin: 'user', parts: [busy.repeat(Math.ceil(length / busy.length)).slice(0, length)] },
      ]);
      const parts = { matcher: { pool, inPlaceCostMax: IN_PLACE_COST }, isThorough: true };
      worst = Math.max(worst, await microseconds(20, () => matchRegexes(ruleSet, units, parts)));
    }
    print(`${source} (${steps} steps, ${length} characters)`, worst);
  }
  pool.close();
}
