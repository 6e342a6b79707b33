// The built-in templates by the ids that rules name. Attacks on prompts are a template too, but are found by a lexicon
// of phrases instead of by a shape.

import type { FilterTemplate } from '../../../contract/guardrails.ts';
import { readApiKeyShapes } from '../guardrail-data.ts';
import { email, phone } from './contact.ts';
import { nationalId } from './national-id.ts';
import { creditCard, iban } from './payment.ts';
import { createApiKeyTemplate, privateKey } from './secrets.ts';
import type { Template } from './template.ts';

export type DataTemplates = ReadonlyMap<string, Template>;

export const PROMPT_INJECTION = 'prompt_injection';

export function createDataTemplates(): DataTemplates {
  const templates: Readonly<Record<Exclude<FilterTemplate, typeof PROMPT_INJECTION>, Template>> = {
    credit_card: creditCard,
    iban,
    email,
    phone,
    national_id: nationalId,
    api_key: createApiKeyTemplate(readApiKeyShapes()),
    private_key: privateKey,
  };
  return new Map(Object.entries(templates));
}
