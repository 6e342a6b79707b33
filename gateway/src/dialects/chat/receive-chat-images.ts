// Stores the pictures of a whole chat answer, and replaces the upstream's addresses by ours. The messages are edited in
// a new list; the old one stays as it came.

import type { ConversationAnswer } from '../../canonical/answer.ts';
import type { ImageKeeper, MadeImage, ShownImage } from '../../canonical/images.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { Received } from '../dialect.ts';
import {
  isUnusable,
  keepingFor,
  type Look,
  lookAt,
  noImages,
  receivePictures,
  withImages,
} from '../images/receive-images.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { chatImage, mayHoldImages, mustHoldImage, readChatImages } from './chat-images.ts';

type Illustrated = Readonly<{ message: JsonObject; made: readonly MadeImage[] }>;

/** Null for an answer without pictures, where that is allowed. */
export function receiveChatImages(
  answer: ConversationAnswer,
  usage: Usage | null,
  context: RenderContext,
  keeper: ImageKeeper,
): Promise<Received<ConversationAnswer>> | null {
  const { request } = context;
  const countMax = request.unitsMax.images ?? 0;
  if (answer.format !== 'chat') {
    if (!mayHoldImages(context)) return null;
    const received = receivePictures(answer, usage, countMax, keepingFor(keeper, context));
    return received ?? (mustHoldImage(request) ? Promise.resolve(noImages()) : null);
  }
  const illustrated = illustratedMessages(answer.json, countMax);
  if (illustrated.length > 0) return keepAll(answer, usage, illustrated, keepingFor(keeper, context));
  return mustHoldImage(request) ? Promise.resolve(noImages()) : null;
}

async function keepAll(
  answer: ConversationAnswer,
  usage: Usage | null,
  illustrated: readonly Illustrated[],
  look: Look,
): Promise<Received<ConversationAnswer>> {
  const kept: ShownImage[] = [];
  let problem = noImages();
  for (const { message, made } of illustrated) {
    const shown = await lookAt(made, look);
    if (isUnusable(shown)) {
      // Nothing of the upstream's pictures may reach the client unchecked.
      message.images = [];
      if (made.length > 0) problem = shown;
      continue;
    }
    message.images = shown.map(chatImage);
    kept.push(...shown);
  }
  if (kept.length === 0) return problem;
  const { choices } = answer.json;
  const json = { ...answer.json, choices: Array.isArray(choices) ? [...choices] : choices };
  // Where its words are written anew, the pictures stay.
  const received = { ...answer, json, toAnswer: () => ({ ...answer.toAnswer(), shown: kept }) };
  return { kind: 'answer', answer: received, usage: withImages(usage, kept.length) };
}

function illustratedMessages({ choices }: JsonObject, countMax: number): readonly Illustrated[] {
  if (!Array.isArray(choices)) return [];
  let left = countMax;
  return choices.flatMap((choice) => {
    const message = isJsonObject(choice) ? choice.message : undefined;
    if (!isJsonObject(message) || !Array.isArray(message.images) || message.images.length === 0) return [];
    const made = readChatImages(message.images, left);
    left -= made.length;
    return [{ message, made }];
  });
}
