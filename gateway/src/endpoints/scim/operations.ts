// The operations of a PATCH, in one form. Okta sends an object without a path, Entra a path for each value, with
// filters and schema names, and older Entra versions names such as "name.givenName" as members of an object without a
// path.

import { isJsonObject } from '../../canonical/json.ts';
import type { ScimPatchBody } from '../../contract/scim.ts';
import { ApiError } from '../../errors/api-error.ts';
import { attributeName, type Condition, parseFilter } from './filter.ts';

export type PatchOperation = Readonly<{
  kind: 'add' | 'replace' | 'remove';
  /** In lower case; empty for an attribute of a schema that is not ours. */
  attribute: string;
  /** Which of the attribute's values, where it has several. */
  which: Condition | null;
  /** In lower case. */
  part: string | null;
  value: unknown;
}>;

const PATH = /^([a-z$][\w$-]*)(?:\[([^\]]{1,300})\])?(?:\.([a-z$][\w$-]*))?$/i;

export function operationsIn({ Operations }: ScimPatchBody): readonly PatchOperation[] {
  return Operations.flatMap(({ op, path, value }) => {
    const kind = op.toLowerCase() as PatchOperation['kind'];
    if (path != null && path !== '') return [operation(kind, path, value)];
    if (!isJsonObject(value)) throw invalidPath('noTarget', 'Operations: without a path the value is an object.');
    return Object.entries(value).map(([name, member]) => operation(kind, name, member));
  });
}

function operation(kind: PatchOperation['kind'], path: string, value: unknown): PatchOperation {
  const own = attributeName(path);
  // Extensions are not stored, and a directory that sends one must not fail for it.
  if (own.startsWith('urn:')) return { kind, attribute: '', which: null, part: null, value };
  const [, attribute, filter, part] = PATH.exec(path.slice(path.length - own.length)) ?? [];
  if (attribute === undefined) throw invalidPath('invalidPath', 'Operations: a path cannot be read.');
  const [which = null] = parseFilter(filter ?? null);
  return { kind, attribute: attribute.toLowerCase(), which, part: part?.toLowerCase() ?? null, value };
}

const invalidPath = (scimType: string, message: string): ApiError =>
  new ApiError('http_400', message, { details: { scimType } });
