// What the endpoints of pictures need besides what every call needs.

import type { Media } from '../../modules/media/media.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export type ImageServices = InferenceServices & Readonly<{ media: Media }>;
