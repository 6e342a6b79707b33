// What reviewers read of a request for pictures: everything in words that a provider is sent.

import { expect, test } from 'vitest';
import { passagesOf } from '../../canonical/passage.ts';
import type { Submission } from '../../canonical/submission.ts';
import { parseImagesRequest } from './parse-request.ts';

const RULES = { readSources: () => [], defaultModel: () => null, answersBytes: true };

const submissionOf = (fields: object, isForm: boolean): Submission => ({
  body: { model: 'a/b', prompt: 'U', size: '1024x1024', quality: 'high', user: 'x', ...fields },
  files: [],
  isForm,
});

test.each([
  ['JSON', { n: 2, stream: false, negative_prompt: 'X1', text_prompts: [{ text: 'X2', weight: 1 }] }, false],
  ['a form', { n: '2', stream: 'true', negative_prompt: 'X1', text_prompts: 'X2' }, true],
])('FILT-08 a second prompt under a vendor’s own name is read too, in %s', (_name, fields, isForm) => {
  const request = parseImagesRequest(submissionOf(fields, isForm), RULES);
  expect(passagesOf(request).flatMap(({ parts }) => parts)).toEqual(['U', 'X1', 'X2']);
  const words: string[] = [];
  const { body } = request.withTexts((part) => {
    words.push(part);
    return part.replace('X', 'Y');
  });
  expect(words).toEqual(['U', 'X1', 'X2']);
  expect(body).toMatchObject({ prompt: 'U', negative_prompt: 'Y1' });
  expect(JSON.stringify(body)).not.toContain('X');
});
