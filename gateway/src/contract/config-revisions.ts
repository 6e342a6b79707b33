// What the operator API tells about applied config documents: the answer to a change, and the list of revisions that a
// change can be taken back to.

import { Type } from '@sinclair/typebox';
import { ConfigDocument } from './config.ts';
import type { Shape } from './shape.ts';

const lines = (description: string) => Type.Array(Type.String(), { description });

/** The answer to `PUT /admin/v1/config` and to restoring a revision. */
export const AppliedConfig = Type.Object(
  {
    config: ConfigDocument,
    changes: lines('What changed, in words.'),
    removals: lines('Those of the changes that take something away.'),
    applied: Type.Boolean({ description: 'False when nothing differs, and for a dry run.' }),
    revision: Type.Integer({ description: 'The revision that is live.' }),
  },
  { title: 'AppliedConfig' },
);
export type AppliedConfig = Omit<Shape<typeof AppliedConfig>, 'config'> & Readonly<{ config: ConfigDocument }>;

const revisionFields = {
  revision: Type.Integer(),
  at: Type.String({ format: 'date-time' }),
  source: Type.String({ description: 'Where it came from: `file`, `built-in` or `operator`.' }),
  author: Type.String({ description: 'Who applied the revision: a name, or the file.' }),
  note: Type.Union([Type.String(), Type.Null()]),
  restored: Type.Union([Type.Integer(), Type.Null()], { description: 'The revision that this one brought back.' }),
  isLive: Type.Boolean(),
};

export const ConfigRevision = Type.Object(
  { ...revisionFields, changes: Type.Integer({ description: 'How many changes there are.' }) },
  { title: 'ConfigRevision' },
);
export type ConfigRevision = Shape<typeof ConfigRevision>;

/** The answer to `GET /admin/v1/config/revisions`. */
export const ConfigRevisionList = Type.Object(
  { data: Type.Array(ConfigRevision), next: Type.Union([Type.String(), Type.Null()]) },
  { title: 'ConfigRevisionList' },
);
export type ConfigRevisionList = Shape<typeof ConfigRevisionList>;

/** The answer to `GET /admin/v1/config/revisions/{revision}`. */
export const ConfigRevisionDetail = Type.Object(
  {
    ...revisionFields,
    config: ConfigDocument,
    against: Type.Union([Type.Integer(), Type.Null()], { description: 'The revision that it is compared with.' }),
    changes: lines('The differences between the two revisions, in words.'),
    removals: lines('Those of the changes that take something away.'),
  },
  { title: 'ConfigRevisionDetail' },
);
export type ConfigRevisionDetail = Shape<typeof ConfigRevisionDetail>;
