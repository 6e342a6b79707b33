// The dialects of pictures: the same request and answer behind three endpoints, which differ in what they take and in
// whether the answer may contain the pictures themselves.

import type { ImageKeeper, ImagesAnswer } from '../../canonical/images.ts';
import type { Usage } from '../../canonical/usage.ts';
import { type Dialect, type Intake, JSON_ONLY, type Pulse, type Received } from '../dialect.ts';
import { DONE_EVENT, errorEvent, HEARTBEAT_EVENT } from './image-events.ts';
import { type ImagesRules, parseImagesRequest } from './parse-request.ts';
import { readReferences, readSourceFiles, SOURCE_LIMITS } from './read-sources.ts';
import { isUnusable, keepingFor, type Look, lookAt, withImages, within } from './receive-images.ts';
import { renderImages } from './render-images.ts';

const PULSE: Pulse = { frame: HEARTBEAT_EVENT, failure: (error) => errorEvent(error) + DONE_EVENT };

/** Pictures from words. */
export function generationsDialect(keeper: ImageKeeper): Dialect<'images'> {
  const rules = { readSources: () => [], defaultModel: () => null, answersBytes: false };
  return imagesDialect(JSON_ONLY, rules, keeper);
}

/** Pictures from pictures, sent as files. */
export function editsDialect(keeper: ImageKeeper, defaultModel: () => string | null): Dialect<'images'> {
  const formOnly = 'Send the images as a form: multipart/form-data with the files as image and the prompt as a field.';
  const rules = { readSources: readSourceFiles, defaultModel, answersBytes: false };
  return imagesDialect({ form: SOURCE_LIMITS, formOnly }, rules, keeper);
}

/** For clients that use one endpoint for both, in JSON, and want the pictures themselves. */
export function inlineImagesDialect(keeper: ImageKeeper): Dialect<'images'> {
  const rules: ImagesRules = {
    readSources: ({ body }) => readReferences(body),
    defaultModel: () => null,
    answersBytes: true,
  };
  return imagesDialect(JSON_ONLY, rules, keeper);
}

function imagesDialect(intake: Intake, rules: ImagesRules, keeper: ImageKeeper): Dialect<'images'> {
  return {
    operation: 'images',
    format: 'images',
    forwardedHeaders: [],
    intake,
    read: (submission) => parseImagesRequest(submission, rules),
    receive(answer, usage, context, room) {
      const isInside = context.request.answerAs === 'bytes';
      return receiveImages(answer, usage, isInside ? within(room, keeper.load) : keepingFor(keeper, context));
    },
    pulse: ({ answerAs }) => (answerAs === 'events' ? PULSE : null),
    render: renderImages,
  };
}

async function receiveImages({ made }: ImagesAnswer, usage: Usage | null, look: Look): Promise<Received<ImagesAnswer>> {
  const shown = await lookAt(made, look);
  if (isUnusable(shown)) return shown;
  return { kind: 'answer', answer: { made: [], shown }, usage: withImages(usage, shown.length) };
}
