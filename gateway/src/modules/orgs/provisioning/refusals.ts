// The errors for a directory, in the form of its protocol.

import { ApiError } from '../../../errors/api-error.ts';

type Resource = 'user' | 'group' | 'definition';

export const notFound = (resource: Resource): ApiError => new ApiError('http_404', `There is no such ${resource}.`);

export const isTaken = (resource: Resource): ApiError =>
  new ApiError('http_409', `There is another ${resource} of this name or address.`, {
    details: { scimType: 'uniqueness' },
  });

export const invalidValue = (message: string): ApiError =>
  new ApiError('http_400', message, { details: { scimType: 'invalidValue' } });
