// An error for a directory: RFC 7644, 3.12. The status is text there, and there are few words for causes.

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
