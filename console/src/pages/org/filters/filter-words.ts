// Types, templates and actions of content filters in words.

import type { FilterTemplate } from '../../../../../gateway/src/contract/guardrails.ts';
import type { Filter } from '../../../api/orgs/content-filters.ts';
import type { Tone } from '../../../ui/badge.tsx';

export const TYPES: Readonly<Record<Filter['type'], string>> = {
  template: 'Template',
  keyword: 'Word or phrase',
  regex: 'Regular expression',
};

export const TEMPLATES: Readonly<Record<FilterTemplate, string>> = {
  credit_card: 'Credit card numbers',
  iban: 'Bank account numbers (IBAN)',
  email: 'Email addresses',
  phone: 'Phone numbers',
  national_id: 'National identity numbers',
  api_key: 'API keys',
  private_key: 'Private keys',
  prompt_injection: 'Prompt injection',
};

export const SIDES: Readonly<Record<Filter['appliesTo'], string>> = {
  input: 'what is sent',
  output: 'what models answer',
  both: 'both',
};

export const ACTIONS: Readonly<Record<Filter['action'], string>> = {
  block: 'Block the call',
  redact: 'Redact what matches',
  flag: 'Let pass, write to the log',
};

export const ACTION_TONES: Readonly<Record<Filter['action'], Tone>> = { block: 'bad', redact: 'warn', flag: 'accent' };

const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(TEMPLATES));

export const patternText = ({ type, pattern }: Pick<Filter, 'type' | 'pattern'>): string =>
  type === 'template' ? (NAMES.get(pattern) ?? pattern) : pattern;
