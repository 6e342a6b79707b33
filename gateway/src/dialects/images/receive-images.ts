// What happens to pictures between the upstream's answer and the bill: each is checked and stored, and only real
// pictures count. The others are still shown when one turns out to be no picture.

import type { ConversationAnswer } from '../../canonical/answer.ts';
import type { ImageKeeper, MadeImage, ShownImage } from '../../canonical/images.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import type { Received, Room } from '../dialect.ts';

export type UnusableImages = Extract<Received<never>, { kind: 'unusable' }>;

export type Look = (made: MadeImage) => Promise<ShownImage | null>;

/** For pictures that are shown by their address. */
export const keepingFor =
  (keeper: ImageKeeper, { owner = '' }: Readonly<{ owner?: string }>): Look =>
  (made) =>
    keeper.keep(made, owner);

/** For pictures that become part of the answer, as base64. Those that came inside another answer are counted with it. */
export function within(room: Room, look: Look): Look {
  return async (made) => {
    const shown = await look(made);
    if (made.kind === 'bytes' || shown === null || shown.bytes === null) return shown;
    return room.hold(Math.ceil(shown.bytes.length / 3) * 4) ? shown : null;
  };
}

/** In order, without those that are none; or the error when nothing is left. */
export async function lookAt(made: readonly MadeImage[], look: Look): Promise<readonly ShownImage[] | UnusableImages> {
  if (made.length === 0) return noImages();
  const looked = await Promise.all(made.map(look));
  const shown = looked.filter((image) => image !== null);
  if (shown.length > 0) return shown;
  return {
    kind: 'unusable',
    code: 'pipeline_error',
    publicMessage: 'The image that was made could not be fetched or read. Nothing was charged.',
    detail: `none of ${made.length} images could be used`,
  };
}

export const isUnusable = (result: readonly ShownImage[] | UnusableImages): result is UnusableImages =>
  !Array.isArray(result);

export function noImages(): UnusableImages {
  const publicMessage = 'The provider answered without an image. Nothing was charged.';
  return { kind: 'unusable', code: 'no_images', publicMessage, detail: 'an answer without images' };
}

/** For a conversation, whose pictures are beside its words; null where it has none. */
export function receivePictures(
  answer: ConversationAnswer,
  usage: Usage | null,
  countMax: number,
  look: Look,
): Promise<Received<ConversationAnswer>> | null {
  const told = answer.toAnswer();
  const made = told.pictures?.slice(0, countMax) ?? [];
  if (made.length === 0) return null;
  return lookAt(made, look).then((shown) => {
    if (isUnusable(shown)) return shown;
    const received = { ...answer, toAnswer: () => ({ ...told, shown }) };
    return { kind: 'answer', answer: received, usage: withImages(usage, shown.length) };
  });
}

/** We count pictures, because an upstream's token count may be missing. */
export function withImages(usage: Usage | null, images: number): Usage {
  return { ...(usage ?? zeroUsage), units: { ...usage?.units, images } };
}
