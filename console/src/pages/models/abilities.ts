// What a model that writes can do besides writing, as its parameters and modalities tell.

import { type Model, makesText } from '../../api/models.ts';

/** What people look for in a model that writes. */
export const ABILITIES = ['tools', 'vision', 'reasoning', 'structured'] as const;
export type Ability = (typeof ABILITIES)[number];

export function abilitiesOf(model: Model): readonly Ability[] {
  const parameters = model.supported_parameters ?? [];
  const has: Readonly<Record<Ability, boolean>> = {
    tools: parameters.includes('tools'),
    vision: makesText(model) && model.architecture.input_modalities.includes('image'),
    reasoning: parameters.includes('reasoning') || parameters.includes('reasoning_effort'),
    // To a model that speaks, the same parameter says which file it makes.
    structured:
      makesText(model) && (parameters.includes('structured_outputs') || parameters.includes('response_format')),
  };
  return ABILITIES.filter((ability) => has[ability]);
}
