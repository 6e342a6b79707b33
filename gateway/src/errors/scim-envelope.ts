// How a directory is told of an error: RFC 7644, 3.12. The status is a text there, and the words for causes are few.

import type { ApiError } from './api-error.ts';

export const SCIM_TYPE = 'application/scim+json; charset=utf-8';

export function scimEnvelope({ status, message, details }: ApiError): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(details?.scimType === undefined ? {} : { scimType: details.scimType }),
    detail: message,
  };
}
