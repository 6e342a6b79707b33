// Pictures in a conversation's answer: where they stand, and what a client finds there instead. A conversation may be
// asked for pictures and words together; only where it was asked for pictures alone is an answer without one no answer.

import type { MadeImage, ShownImage } from '../../canonical/images.ts';
import { madeImageOf } from '../../canonical/images.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import type { RenderContext } from '../stream-pipe.ts';

/** How many a choice may have, and how many where nobody asked for any. What comes beyond is left out: it was not held. */
const ASKED_MAX = 4;
const UNASKED_MAX = 1;
const UNASKED = { images: UNASKED_MAX };

export function chatUnitsMax(choiceCount: number, isAsked: boolean): Readonly<{ images: number }> {
  if (isAsked) return { images: choiceCount * ASKED_MAX };
  return choiceCount === 1 ? UNASKED : { images: choiceCount * UNASKED_MAX };
}

/** The `images` of a message or of a piece of one, at most so many. */
export function readChatImages(images: unknown, countMax: number): readonly MadeImage[] {
  if (!Array.isArray(images)) return [];
  return images.slice(0, countMax).map((item) => {
    const image = isJsonObject(item) ? item.image_url : undefined;
    // What is none is still one that was sent, and is found to be none by whoever looks at it.
    return madeImageOf(isJsonObject(image) ? image.url : image) ?? { kind: 'bytes', bytes: Buffer.alloc(0) };
  });
}

export function chatImage({ url }: ShownImage): JsonObject {
  return { type: 'image_url', image_url: { url } };
}

/** Of a model that makes pictures, whether or not it was asked to, or of one that was. */
export function mayHoldImages({ makesImages, request }: RenderContext): boolean {
  return makesImages === true || request.needs.imageOutput;
}

export function mustHoldImage({ body, needs }: ConversationRequest): boolean {
  return needs.imageOutput && Array.isArray(body.modalities) && !body.modalities.includes('text');
}
