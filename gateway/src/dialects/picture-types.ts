// The pictures that models look at. Others, drawings in SVG above all, are programs or need one to be seen; an upstream
// would refuse them after the call was prepared, and in words that nobody expects.

import { RASTER_TYPES } from '../platform/raster-image.ts';

export const PICTURE_TYPES = RASTER_TYPES.join(', ');

/** Many clients write jpg for what is registered as jpeg. */
const NAMES: ReadonlySet<string> = new Set([...RASTER_TYPES, 'image/jpg']);

export const isPicture = (mediaType: string): boolean => NAMES.has(mediaType.toLowerCase());
