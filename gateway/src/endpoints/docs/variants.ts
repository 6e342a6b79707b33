// Routes that exist several times: the same handler for a key, for a signed-in person, and for an organization.

import { Type } from '@sinclair/typebox';
import { JobObject } from '../../contract/inference/jobs.ts';
import type { Description, Descriptions } from './description.ts';
import { optional } from './queries.ts';

const chosenAccount = {
  orgId: optional('An organization whose figures your role may see; default: your own account.'),
};

/** The same route for a signed-in person. */
export const signedIn = (description: Description): Description => ({
  ...description,
  summary: `${description.summary}, signed in`,
});

/** The same route for the administrators of an organization. */
export const ofOrganization = (description: Description): Description => ({
  ...description,
  summary: `${description.summary} of an organization`,
});

/** An account route for a signed-in person, who may choose an organization. */
export const forChosenAccount = (description: Description): Description => ({
  ...signedIn(description),
  query: Type.Object({ ...description.query?.properties, ...chosenAccount }),
  errors: [...(description.errors ?? []), 'http_404'],
});

/** Model calls that a client may ask to be answered later. Counting tokens is free and answered at once. */
export const answeredLater = (descriptions: Descriptions): Descriptions =>
  Object.fromEntries(
    Object.entries(descriptions).map(([route, description]) =>
      route.startsWith('POST ') && !route.endsWith('_tokens')
        ? [route, { ...description, answers: { ...description.answers, 202: { json: JobObject } } }]
        : [route, description],
    ),
  );
