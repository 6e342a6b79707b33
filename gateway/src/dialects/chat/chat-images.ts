// Pictures in a conversation's answer: where they stand, and what a client gets instead. A conversation may ask for
// pictures and words together; only where it asked for pictures alone is an answer without one an error.

import type { MadeImage, ShownImage } from '../../canonical/images.ts';
import { madeImageOf } from '../../canonical/images.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import type { RenderContext } from '../stream-pipe.ts';

/**
 * How many pictures a choice may have, and how many where none were asked for. Further ones are left out, because the
 * reservation does not cover them.
 */
const ASKED_MAX = 4;
const UNASKED_MAX = 1;
const UNASKED = { images: UNASKED_MAX };

export function chatUnitsMax(choiceCount: number, isAsked: boolean): Readonly<{ images: number }> {
  if (isAsked) return { images: choiceCount * ASKED_MAX };
  return choiceCount === 1 ? UNASKED : { images: choiceCount * UNASKED_MAX };
}

/** What is done with pictures in a stream, where anything is. */
export type ImageIntake = Readonly<{ frameBytesMax: number; take(images: unknown, choice: number): void }>;

/** The `images` of a message or of a piece of one, at most this many. */
export function readChatImages(images: unknown, countMax: number): readonly MadeImage[] {
  if (!Array.isArray(images)) return [];
  return images.slice(0, countMax).map((item) => {
    const image = isJsonObject(item) ? item.image_url : undefined;
    // An item that is no picture still counts as one that came; the check finds that it is none.
    return madeImageOf(isJsonObject(image) ? image.url : image) ?? { kind: 'bytes', bytes: Buffer.alloc(0) };
  });
}

export function chatImage({ url }: ShownImage): JsonObject {
  return { type: 'image_url', image_url: { url } };
}

/** For a model that makes pictures, whether or not it was asked to, and for a request that asks for them. */
export function mayHoldImages({ makesImages, request }: RenderContext): boolean {
  return makesImages === true || request.needs.imageOutput;
}

export function mustHoldImage({ body, needs }: ConversationRequest): boolean {
  return needs.imageOutput && Array.isArray(body.modalities) && !body.modalities.includes('text');
}
