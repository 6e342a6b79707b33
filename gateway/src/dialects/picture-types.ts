// The kinds of pictures that models read. Others, above all SVG, are programs or need one to be shown; an upstream
// would refuse them after the call was prepared, with an unexpected error.

import { RASTER_TYPES } from '../platform/raster-image.ts';

export const PICTURE_TYPES = RASTER_TYPES.join(', ');

/** Many clients write jpg for what is registered as jpeg. */
const NAMES: ReadonlySet<string> = new Set([...RASTER_TYPES, 'image/jpg']);

export const isPicture = (mediaType: string): boolean => NAMES.has(mediaType.toLowerCase());
