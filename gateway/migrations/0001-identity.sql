-- Who calls: the people, and the keys that speak for them. A key's secret is never stored, only its keyed hash.

CREATE TABLE users (
  id text PRIMARY KEY,
  email text NOT NULL,
  -- What decides whether two addresses are the same mailbox: lower case, the domain in ASCII.
  email_normalized text NOT NULL,
  name text NOT NULL,
  password_hash text,
  is_suspended boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT users_one_email UNIQUE (email_normalized)
);

-- A revoked key keeps its row, because its history refers to it.
CREATE TABLE api_keys (
  id text PRIMARY KEY,
  hash bytea NOT NULL,
  name text NOT NULL,
  key_type text NOT NULL CHECK (key_type IN ('standard', 'management')),
  user_id text NOT NULL REFERENCES users (id),
  -- Who pays: the user, or the organization for an organization's key.
  account_id text NOT NULL,
  prefix text NOT NULL,
  suffix text NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  revoked_at timestamptz,
  expires_at timestamptz,
  spend_limit_nano_usd bigint CHECK (spend_limit_nano_usd >= 0),
  spend_limit_period text,
  allowed_cidrs text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT api_keys_one_hash UNIQUE (hash),
  CONSTRAINT api_keys_hash_length CHECK (octet_length(hash) = 32)
);

CREATE INDEX api_keys_user ON api_keys (user_id);
CREATE INDEX api_keys_account ON api_keys (account_id);
