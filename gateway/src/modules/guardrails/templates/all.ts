// The built-in templates by the ids that rules name. Attacks on prompts are a template too, but are found by a lexicon
// of phrases instead of by a shape.

import { readApiKeyShapes } from '../guardrail-data.ts';
import { email, phone } from './contact.ts';
import { nationalId } from './national-id.ts';
import { creditCard, iban } from './payment.ts';
import { createApiKeyTemplate, privateKey } from './secrets.ts';
import type { Template } from './template.ts';

export type DataTemplates = ReadonlyMap<string, Template>;

export const PROMPT_INJECTION = 'prompt_injection';

export const TEMPLATE_IDS = [
  PROMPT_INJECTION,
  'credit_card',
  'iban',
  'email',
  'phone',
  'national_id',
  'api_key',
  'private_key',
] as const;

export const createDataTemplates = (): DataTemplates =>
  new Map<string, Template>([
    ['credit_card', creditCard],
    ['iban', iban],
    ['email', email],
    ['phone', phone],
    ['national_id', nationalId],
    ['api_key', createApiKeyTemplate(readApiKeyShapes())],
    ['private_key', privateKey],
  ]);
