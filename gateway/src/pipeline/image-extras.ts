// The size of a picture as something that can have a price. A size that the catalog lists for a model is offered at the
// ordinary price unless another is stated, and so is one no larger than most pictures are.

import type { Model } from '../canonical/model.ts';
import { mapImageSize } from '../upstreams/image-size.ts';

const PREFIX = 'size=';
/** As many pixels as the ordinary picture has. */
const ORDINARY_PIXELS = 1_024 * 1_024;
const SIDES = /^(\d{1,5})x(\d{1,5})$/;

/** The extra of the size that the model would be asked for; null where that is left to it. */
export function sizeExtra(wish: string | null, { image }: Model): string | null {
  const size = mapImageSize(wish, image?.sizes ?? []);
  return size === undefined ? null : `${PREFIX}${size}`;
}

export function isOrdinarySize(extra: string, { image }: Model): boolean {
  const size = extra.slice(PREFIX.length);
  if (size === 'auto' || image?.sizes.includes(size) === true) return true;
  const [, width, height] = SIDES.exec(size) ?? [];
  return width !== undefined && Number(width) * Number(height) <= ORDINARY_PIXELS;
}
