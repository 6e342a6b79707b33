// Single sign-on of an organization, and its confirmed domains.

import { type Static, Type } from '@sinclair/typebox';
import { ORG_ROLES, role } from './org-management.ts';
import { flag, listOf, moment, named, oneOf, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };
const RULES_MAX = 50;

const line = (lengthMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: `a line of text of 1 to ${lengthMax} characters`,
  });

export const SignOnBody = Type.Object(
  {
    issuer: line(500),
    clientId: line(500),
    /** Left out: stays as it was, where the issuer is the same. */
    clientSecret: Type.Optional(line(2_000)),
    required: Type.Optional(Type.Boolean({ description: 'true or false' })),
    trustsEmail: Type.Optional(Type.Boolean({ description: 'true or false' })),
    roles: Type.Optional(
      Type.Array(Type.Object({ claim: line(200), value: line(200), role }, strict), { maxItems: RULES_MAX }),
    ),
    teams: Type.Optional(
      Type.Array(Type.Object({ claim: line(200), value: line(200), teamId: line(100) }, strict), {
        maxItems: RULES_MAX,
      }),
    ),
  },
  { ...strict, title: 'SignOnBody' },
);
export type SignOnBody = Static<typeof SignOnBody>;

export const SignOnAnswer = Type.Object(
  {
    signOn: orNull(
      Type.Object({
        issuer: text('The address of the issuer.'),
        clientId: text('The client id of this gateway at the issuer.'),
        required: flag("True: the organization's pages open only for sessions that began at the issuer."),
        trustsEmail: flag('True: addresses count even when the issuer does not say that they are verified.'),
        roles: listOf(
          Type.Object({
            claim: Type.String(),
            value: Type.String(),
            role: oneOf(ORG_ROLES, 'What the member becomes.'),
          }),
          'The first rule that fits decides.',
        ),
        teams: listOf(
          Type.Object({ claim: Type.String(), value: Type.String(), teamId: Type.String() }),
          'The first rule that fits decides.',
        ),
      }),
    ),
    redirectUri: text('The redirect address to enter at the issuer.'),
  },
  named('SignOn'),
);
export type SignOnAnswer = Shape<typeof SignOnAnswer>;

export const NewDomainBody = Type.Object({ domain: line(253) }, { ...strict, title: 'NewDomainBody' });
export type NewDomainBody = Static<typeof NewDomainBody>;

export const DomainAnswer = Type.Object(
  {
    domain: text('In lower case.'),
    confirmedAt: orNull(moment('When its record was found; null until then.')),
    recordName: text('The name of the TXT record that confirms it.'),
    recordValue: text('The value that the record must have.'),
  },
  named('OrgDomain'),
);
export type DomainAnswer = Shape<typeof DomainAnswer>;

export const DomainListAnswer = Type.Object({ domains: listOf(DomainAnswer) }, named('OrgDomains'));
export type DomainListAnswer = Shape<typeof DomainListAnswer>;
