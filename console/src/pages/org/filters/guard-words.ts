// What the forms, stages and decisions of guards are called.

import type { Guard } from '../../../api/orgs/guards.ts';
import type { Tone } from '../../../ui/badge.tsx';

export const FORMS: Readonly<Record<Guard['form'], string>> = {
  webhook: 'Our own form (a webhook)',
  presidio: 'Presidio analyzer',
  lakera: 'Lakera Guard',
  moderations: 'A moderations endpoint',
};

export const STAGES: Readonly<Record<Guard['stages'][number], string>> = {
  before: 'Before the call',
  beside: 'While the model answers; the answer waits',
  after: 'After the call, about the answer',
};

export const GUARD_ACTIONS: Readonly<Record<Guard['action'], string>> = {
  block: 'Block the call',
  redact: 'Redact it; block the call if the service does not say where it is',
  flag: 'Only log it',
};

export const OUTCOME_TONES: Readonly<Record<string, Tone>> = {
  allowed: 'good',
  blocked: 'bad',
  redacted: 'warn',
  flagged: 'accent',
  no_verdict: 'warn',
};
