// Maps the size that a client wrote to one that the model has: the nearest in shape, and then in area. Clients write
// sizes, ratios and words; a model that lists no sizes is taken to accept any size, but no ratio and no word.

import type { Candidate } from '../canonical/model.ts';

type Shape = Readonly<{ ratio: number; area: number | null }>;

const SQUARE_PIXELS = /^(\d{2,5})$/;
const PIXELS = /^(\d{2,5})[x×*](\d{2,5})$/i;
const RATIO = /^(\d{1,3}(?:\.\d{1,3})?)[:/](\d{1,3}(?:\.\d{1,3})?)$/;

const words: Readonly<Record<string, Shape>> = {
  square: { ratio: 1, area: null },
  landscape: { ratio: 3 / 2, area: null },
  portrait: { ratio: 2 / 3, area: null },
};

/** The sizes that most models have. */
const USUAL_SIZES = ['1024x1024', '1536x1024', '1024x1536'];

/** Undefined leaves the size to the model. */
export function mapImageSize(wish: string | null, sizes: readonly string[]): string | undefined {
  if (wish === null) return undefined;
  const listed = sizes.find((size) => size.toLowerCase() === wish.toLowerCase());
  if (listed !== undefined) return listed;
  const shape = shapeOf(wish);
  // An unknown word is passed to the model, unless the model has listed its sizes.
  if (shape === null) return sizes.length === 0 ? wish : undefined;
  if (sizes.length > 0) return nearest(shape, sizes);
  return shape.area === null ? nearest(shape, USUAL_SIZES) : inPixels(wish);
}

/** The size that the model is asked for, where it has one that costs no more than any other; else undefined. */
export function ordinarySize(wish: string | null, { model, prices }: Candidate): string | undefined {
  const sizes = model.image?.sizes ?? [];
  const size = sizes.length === 0 ? undefined : mapImageSize(wish, sizes);
  return size === undefined || prices.extras?.has(`size=${size}`) === true ? undefined : size;
}

function shapeOf(size: string): Shape | null {
  const [, width, height] = PIXELS.exec(size) ?? SQUARE_PIXELS.exec(size) ?? [];
  if (width !== undefined) return ofSides(Number(width), Number(height ?? width), true);
  const [, across, down] = RATIO.exec(size) ?? [];
  if (across !== undefined) return ofSides(Number(across), Number(down), false);
  const word = size.toLowerCase();
  return Object.hasOwn(words, word) ? (words[word] ?? null) : null;
}

function ofSides(width: number, height: number, isPixels: boolean): Shape | null {
  if (!(width > 0 && height > 0)) return null;
  return { ratio: width / height, area: isPixels ? width * height : null };
}

/** In pixels, as upstreams write it. */
function inPixels(size: string): string {
  return SQUARE_PIXELS.test(size) ? `${size}x${size}` : size.toLowerCase().replace(/[×*]/, 'x');
}

function nearest(wish: Shape, sizes: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const size of sizes) {
    const shape = shapeOf(size);
    const distance = shape === null ? Number.POSITIVE_INFINITY : distanceOf(wish, shape);
    if (distance < bestDistance) {
      best = size;
      bestDistance = distance;
    }
  }
  return best;
}

/** The shape counts most: a picture of the wrong shape is cut, one of another size is scaled. */
const SHAPE_WEIGHT = 100;

function distanceOf(wish: Shape, shape: Shape): number {
  const apart = Math.abs(Math.log(wish.ratio / shape.ratio)) * SHAPE_WEIGHT;
  return wish.area === null || shape.area === null ? apart : apart + Math.abs(Math.log(wish.area / shape.area));
}
