// Converts a user between what a directory sends and what is stored: the name, one address, whether they are active.
// The address is the primary one, or that of work, or the first; without any it is the user name.

import { isJsonObject } from '../../canonical/json.ts';
import type { ScimUserBody } from '../../contract/scim.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import type { Person, PersonFields } from '../../modules/orgs/provisioning/people.ts';
import { invalidValue } from '../../modules/orgs/provisioning/refusals.ts';
import type { PatchOperation } from './operations.ts';

type Attributes = Omit<PersonFields, 'emailNormalized'>;

const TEXT_LENGTH_MAX = 254;

export function fieldsIn(body: ScimUserBody): PersonFields {
  return complete({
    userName: body.userName,
    externalId: textOf(body.externalId),
    displayName: textOf(body.displayName),
    formattedName: textOf(body.name?.formatted),
    givenName: textOf(body.name?.givenName),
    familyName: textOf(body.name?.familyName),
    email: emailOf(body.emails),
    isActive: body.active === undefined || flagOf(body.active),
  });
}

export const patched =
  (operations: readonly PatchOperation[]) =>
  (person: Person): PersonFields =>
    complete(operations.reduce<Attributes>(applied, person));

function complete(attributes: Attributes): PersonFields {
  const emailNormalized = normalizeEmail(attributes.email ?? attributes.userName);
  if (emailNormalized === null) throw invalidValue('emails: there is no address, and the user name is none.');
  const { userName, externalId, displayName, formattedName, givenName, familyName, email, isActive } = attributes;
  return { userName, externalId, displayName, formattedName, givenName, familyName, email, isActive, emailNormalized };
}

function applied(attributes: Attributes, operation: PatchOperation): Attributes {
  const { kind, attribute } = operation;
  const value = kind === 'remove' ? null : operation.value;
  switch (attribute) {
    case 'username':
      return { ...attributes, userName: requiredText('userName', value) };
    case 'externalid':
      return { ...attributes, externalId: textOf(value) };
    case 'displayname':
      return { ...attributes, displayName: textOf(value) };
    case 'active':
      return { ...attributes, isActive: flagOf(value) };
    case 'name':
      return { ...attributes, ...namesIn(operation, value) };
    case 'emails':
      return { ...attributes, ...emailIn(operation, value) };
    default:
      return attributes;
  }
}

const NAMES = { formatted: 'formattedName', givenname: 'givenName', familyname: 'familyName' } as const;

function namesIn({ part }: PatchOperation, value: unknown): Partial<Attributes> {
  const given = part === null && isJsonObject(value) ? Object.entries(value) : [[part ?? '', value] as const];
  const isWhole = part === null && value === null;
  const entries = isWhole ? Object.keys(NAMES).map((name) => [name, null] as const) : given;
  return Object.fromEntries(
    entries.flatMap(([name, text]) => {
      const field = NAMES[name.toLowerCase() as keyof typeof NAMES];
      return field === undefined ? [] : [[field, textOf(text)]];
    }),
  );
}

function emailIn({ which, part }: PatchOperation, value: unknown): Partial<Attributes> {
  // Of several addresses that of work is stored; changes of others, or of its other parts, are ignored.
  const isOther = which !== null && !['work', 'true'].includes(which.value.toLowerCase());
  if (isOther || (part !== null && part !== 'value')) return {};
  return { email: typeof value === 'string' ? textOf(value) : emailOf(value) };
}

function emailOf(emails: unknown): string | null {
  const list = [emails ?? []].flat().filter(isJsonObject);
  const chosen =
    list.find(({ primary }) => primary === true || String(primary).toLowerCase() === 'true') ??
    list.find(({ type }) => type === 'work') ??
    list[0];
  return textOf(chosen?.value);
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'string' && value.length <= TEXT_LENGTH_MAX) return value;
  throw invalidValue(`A value is no text of up to ${TEXT_LENGTH_MAX} characters.`);
}

function requiredText(name: string, value: unknown): string {
  const text = textOf(value);
  if (text === null) throw invalidValue(`${name}: is required.`);
  return text;
}

function flagOf(value: unknown): boolean {
  const word = String(value).toLowerCase();
  if (word !== 'true' && word !== 'false') throw invalidValue('active: must be true or false.');
  return word === 'true';
}
