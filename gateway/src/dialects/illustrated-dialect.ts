// A dialect whose clients get the pictures of an answer as bytes in the answer itself. Only an upstream of another
// format has such pictures: an answer of the same format is passed on as it is.

import type { ImageKeeper, ShownImage } from '../canonical/images.ts';
import type { StreamPart } from '../canonical/stream-part.ts';
import { assert } from '../platform/assert.ts';
import type { ConversationDialect } from './conversation-dialect.ts';
import { reviewed } from './guarded-stream.ts';
import { IllustratedPipe, withoutPictures } from './images/illustrated-pipe.ts';
import { receivePictures, within } from './images/receive-images.ts';
import { openDecoder } from './plain-inputs.ts';
import { TranslatingPipe } from './translating-pipe.ts';

/** With a keeper that checks the pictures that models make. */
export function illustratedDialect(dialect: ConversationDialect, keeper: ImageKeeper): ConversationDialect {
  const { openPipe } = dialect;
  assert(openPipe !== undefined, 'conversations come in streams too');
  return {
    ...dialect,
    receive(answer, usage, { makesImages, request }, room) {
      if (makesImages !== true || answer.format === dialect.format) return null;
      return receivePictures(answer, usage, request.unitsMax.images ?? 0, within(room, keeper.load));
    },
    openPipe(source, context) {
      const { format } = source;
      const { makesImages, request, review = null } = context;
      const isHeld = review !== null && review.openWindow === null;
      if (makesImages !== true || format === dialect.format || isHeld) return openPipe(source, context);
      return new IllustratedPipe({
        look: keeper.load,
        countMax: request.unitsMax.images ?? 0,
        isRequired: false,
        open: (take, countLeft) => {
          const words = withoutPictures(
            reviewed(openDecoder(source, context, { mayHoldPictures: true }), review),
            take,
            countLeft,
          );
          return new TranslatingPipe(words, dialect.createRenderer(context));
        },
        finale: (words, shown, usage, costUsd) =>
          words.show([...shown.values()].flat().flatMap(asPart)) + words.finale(usage, costUsd),
      });
    },
  };
}

function asPart({ bytes }: ShownImage): readonly StreamPart[] {
  return bytes === null ? [] : [{ type: 'picture', picture: { kind: 'bytes', bytes } }];
}
