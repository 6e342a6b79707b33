import { expect, test } from 'vitest';
import type { Model } from '../../api/models.ts';
import { abilitiesOf } from './abilities.ts';

const model = (inputs: string[], outputs: string[]): Model =>
  ({
    endpoints: [],
    architecture: { modality: '', input_modalities: inputs, output_modalities: outputs },
  }) as unknown as Model;

test('a model that speaks has no structured output, although its file has a format', () => {
  const parameters = { supported_parameters: ['response_format'] };
  expect(abilitiesOf({ ...model(['text'], ['text']), ...parameters } as Model)).toEqual(['structured']);
  expect(abilitiesOf({ ...model(['text'], ['speech']), ...parameters } as Model)).toEqual([]);
});
