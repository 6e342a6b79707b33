// Pictures in a conversation's answer: where they stand, and what a client finds there instead. A conversation may be
// asked for pictures and words together; only where it was asked for pictures alone is an answer without one no answer.

import type { MadeImage, ShownImage } from '../../canonical/images.ts';
import { madeImageOf } from '../../canonical/images.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';

/** Of each choice; what comes beyond is left out, since it was not held for either. */
const IMAGES_PER_CHOICE_MAX = 4;

export const chatUnitsMax = (choiceCount: number): Readonly<{ images: number }> =>
  choiceCount === 1 ? ONE_CHOICE : { images: choiceCount * IMAGES_PER_CHOICE_MAX };

const ONE_CHOICE = { images: IMAGES_PER_CHOICE_MAX };

/** The `images` of a message or of a piece of one. */
export function readChatImages(images: unknown): readonly MadeImage[] {
  if (!Array.isArray(images)) return [];
  return images.slice(0, IMAGES_PER_CHOICE_MAX).flatMap((item) => {
    const image = isJsonObject(item) ? item.image_url : undefined;
    const made = madeImageOf(isJsonObject(image) ? image.url : image);
    // What is none is still counted as one that was sent, and found to be none.
    return [made ?? { kind: 'bytes', bytes: Buffer.alloc(0) }];
  });
}

export function chatImage({ url }: ShownImage): JsonObject {
  return { type: 'image_url', image_url: { url } };
}

export function mustHoldImage({ body, needs }: ConversationRequest): boolean {
  return needs.imageOutput && Array.isArray(body.modalities) && !body.modalities.includes('text');
}
