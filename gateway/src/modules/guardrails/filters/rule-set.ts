// An organization's rules, ready to run: all rules of one kind together, so that a text is scanned once for all
// keywords and not once for each.

import { buildTrie, lettersIn, PHRASE_LETTERS_MAX, type PhraseTrie } from '../phrases/phrase-trie.ts';
import { type DataTemplates, PROMPT_INJECTION } from '../templates/all.ts';
import type { Template } from '../templates/template.ts';
import type { FilterRule } from './rule.ts';

export type RegexRule = Readonly<{ rule: FilterRule; source: string; programSize: number }>;

export type RuleSet = Readonly<{
  orgId: string;
  /** Rules that are switched on, oldest first. */
  rules: readonly FilterRule[];
  /** Its phrases are those of `keywordRules`, in the same order. */
  keywords: PhraseTrie | null;
  keywordRules: readonly FilterRule[];
  templates: readonly Template[];
  /** In the order of the templates. */
  templateRules: readonly FilterRule[];
  injections: readonly FilterRule[];
  regexes: readonly RegexRule[];
  /** How many passes over a text all rules but the regular expressions need. */
  scannerCount: number;
  /** The rules for answers; null where there are none. */
  output: RuleSet | null;
}>;

export function compileRuleSet(orgId: string, all: readonly FilterRule[], dataTemplates: DataTemplates): RuleSet {
  const enabled = all.filter(({ isEnabled }) => isEnabled);
  const ofOutput = enabled.filter(({ appliesTo }) => appliesTo !== 'input');
  return {
    ...compile(
      orgId,
      enabled.filter(({ appliesTo }) => appliesTo !== 'output'),
      dataTemplates,
    ),
    output: ofOutput.length === 0 ? null : { ...compile(orgId, ofOutput, dataTemplates), output: null },
  };
}

function compile(orgId: string, rules: readonly FilterRule[], dataTemplates: DataTemplates): Omit<RuleSet, 'output'> {
  const keywordRules = rules.filter((rule) => rule.type === 'keyword' && isSpelledInLetters(rule.pattern));
  const ofData = rules.flatMap((rule) => {
    const template = rule.type === 'template' ? dataTemplates.get(rule.pattern) : undefined;
    return template === undefined ? [] : [{ rule, template }];
  });
  const injections = rules.filter(({ type, pattern }) => type === 'template' && pattern === PROMPT_INJECTION);
  return {
    orgId,
    rules,
    keywordRules,
    scannerCount: ofData.length + (keywordRules.length > 0 ? 1 : 0) + (injections.length > 0 ? 1 : 0),
    keywords: keywordRules.length === 0 ? null : buildTrie(keywordRules.map(({ pattern }) => pattern)),
    templates: ofData.map(({ template }) => template),
    templateRules: ofData.map(({ rule }) => rule),
    injections,
    regexes: rules.flatMap((rule) => regexOf(rule)),
  };
}

function regexOf(rule: FilterRule): readonly RegexRule[] {
  if (rule.type === 'regex') return [{ rule, source: rule.pattern, programSize: rule.programSize }];
  if (rule.type !== 'keyword' || isSpelledInLetters(rule.pattern)) return [];
  const source = literalSource(rule.pattern);
  return [{ rule, source, programSize: 2 * source.length }];
}

/** `C++` and `.env` must match with their punctuation; other short keywords match however they are spelled. */
function isSpelledInLetters(keyword: string): boolean {
  if (lettersIn(keyword) > PHRASE_LETTERS_MAX) return false;
  return /^[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}\s'’-]*$/u.test(keyword.trim());
}

function literalSource(keyword: string): string {
  const trimmed = keyword.trim();
  const escaped = trimmed.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+');
  return `(?i)${/^\w/.test(trimmed) ? '\\b' : ''}${escaped}${/\w$/.test(trimmed) ? '\\b' : ''}`;
}
