import { expect, test } from 'vitest';
import { isFree, type Model, purposeOf } from './models.ts';

const model = (inputs: string[], outputs: string[], endpoints: string[] = []): Model =>
  ({
    endpoints,
    architecture: { modality: '', input_modalities: inputs, output_modalities: outputs },
  }) as unknown as Model;

test.each([
  [['text'], ['text'], 'text'],
  [['text', 'image'], ['text', 'image'], 'text'],
  [['text'], ['image'], 'image'],
  [['text'], ['video'], 'video'],
  [['text'], ['speech'], 'audio'],
  [['text'], ['audio'], 'audio'],
  [['text', 'audio'], ['text', 'audio'], 'text'],
  [['audio'], ['transcription'], 'transcription'],
  [['audio'], ['text'], 'transcription'],
  [['text'], ['embeddings'], 'embeddings'],
] as const)('from %s to %s a model is for %s', (inputs, outputs, purpose) => {
  expect(purposeOf(model([...inputs], [...outputs]))).toBe(purpose);
});

test('a model that the listing names for moderations is for moderation', () => {
  expect(purposeOf(model(['text'], [], ['/v1/moderations']))).toBe('moderation');
});

test.each([
  ['a/b:free', { prompt: '1', completion: '2' }, true],
  ['a/b', { prompt: '0', completion: '0' }, true],
  ['a/b', { prompt: '0', completion: '0', request: '0.1' }, false],
  ['a/b', { prompt: '0', completion: '0.5' }, false],
])('whether %s at %o is free: %s', (id, pricing, free) => {
  expect(isFree({ id, pricing } as unknown as Model)).toBe(free);
});
