-- Organizations prove their domains, and their people sign in with an issuer of the organization's own.

CREATE TABLE org_domains (
  org_id text NOT NULL REFERENCES organizations (id),
  -- In normal form: lower case, ASCII.
  domain text NOT NULL,
  -- What the TXT record has to say.
  token text NOT NULL,
  confirmed_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, domain)
);

-- An address leads to one organization.
CREATE UNIQUE INDEX org_domains_confirmed ON org_domains (domain) WHERE confirmed_at IS NOT NULL;

CREATE TABLE org_sign_on (
  org_id text PRIMARY KEY REFERENCES organizations (id),
  issuer text NOT NULL,
  client_id text NOT NULL,
  -- Sealed.
  client_secret text NOT NULL,
  -- Its pages open only for sessions that the issuer vouched for.
  is_required boolean NOT NULL DEFAULT false,
  -- For issuers whose tokens do not say that an address is verified.
  trusts_email boolean NOT NULL DEFAULT false,
  -- Which claims decide on role and team, and how.
  rules jsonb NOT NULL DEFAULT '{}',
  changed_at timestamptz NOT NULL
);

ALTER TABLE sessions
  -- The organization whose issuer vouched for this session; empty: the platform's issuer.
  ADD COLUMN sign_on_org_id text,
  -- Sealed. Asking with it tells whether the issuer still knows the person.
  ADD COLUMN refresh_token text,
  ADD COLUMN sign_on_checked_at timestamptz;

CREATE INDEX sessions_sign_on ON sessions (sign_on_checked_at) WHERE refresh_token IS NOT NULL;
CREATE INDEX sessions_sign_on_org ON sessions (sign_on_org_id) WHERE sign_on_org_id IS NOT NULL;

-- What an issuer has vouched for, while the second factor is still asked for.
ALTER TABLE second_steps
  ADD COLUMN sign_on_org_id text,
  ADD COLUMN refresh_token text;
