-- Institutions: their students exchange a shared key and a mailed code for sessions that the organization pays for.

-- What an organization allows; one that has decided nothing has no row. A null quota is no limit.
CREATE TABLE edu_configs (
  org_id text PRIMARY KEY REFERENCES organizations (id),
  -- Lower case and in ASCII, so that comparing is enough.
  allowed_domains text[] NOT NULL,
  session_ttl_seconds integer NOT NULL CHECK (session_ttl_seconds > 0),
  verification_ttl_seconds integer NOT NULL CHECK (verification_ttl_seconds > 0),
  sessions_max integer NOT NULL CHECK (sessions_max > 0),
  requests_max bigint CHECK (requests_max > 0),
  tokens_max bigint CHECK (tokens_max > 0),
  spend_max_nano_usd bigint CHECK (spend_max_nano_usd > 0)
);

-- The key that an institution gives to its students. It opens nothing by itself.
CREATE TABLE edu_keys (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  name text NOT NULL,
  prefix text NOT NULL,
  suffix text NOT NULL,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz,
  CONSTRAINT edu_keys_one_hash UNIQUE (hash)
);

CREATE INDEX edu_keys_org ON edu_keys (org_id);

-- One row for each pair of key and address that was ever sent, whether or not there is such a key: what is counted for
-- strangers' inventions is counted as it is for students, so no answer tells them apart. The pair is a keyed hash.
CREATE TABLE edu_codes (
  pair bytea PRIMARY KEY CHECK (octet_length(pair) = 32),
  -- Null until one is sent, and again when it was used.
  code_hash bytea CHECK (octet_length(code_hash) = 32),
  expires_at timestamptz NOT NULL DEFAULT 'epoch',
  requested_at timestamptz NOT NULL DEFAULT 'epoch',
  -- Guesses since the last request.
  attempts integer NOT NULL DEFAULT 0,
  -- Wrong guesses since the last right one.
  failures integer NOT NULL DEFAULT 0,
  locked_until timestamptz NOT NULL DEFAULT 'epoch',
  last_at timestamptz NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX edu_codes_last ON edu_codes (last_at);

CREATE TABLE edu_sessions (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  key_id text NOT NULL REFERENCES edu_keys (id),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  email text NOT NULL,
  -- The address without what stands behind a plus sign: sessions are limited by mailbox.
  mailbox text NOT NULL,
  -- Who is calling, in the records and for limits by user; the same for all sessions of a mailbox in the organization.
  student_id text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  requests_used bigint NOT NULL DEFAULT 0 CHECK (requests_used >= 0),
  tokens_used bigint NOT NULL DEFAULT 0 CHECK (tokens_used >= 0),
  -- What calls that are under way may use at most.
  tokens_held bigint NOT NULL DEFAULT 0 CHECK (tokens_held >= 0),
  last_call_at timestamptz,
  CONSTRAINT edu_sessions_one_hash UNIQUE (hash)
) WITH (fillfactor = 80);

CREATE INDEX edu_sessions_mailbox ON edu_sessions (key_id, mailbox) WHERE revoked_at IS NULL;
CREATE INDEX edu_sessions_org ON edu_sessions (org_id, created_at);
CREATE INDEX edu_sessions_ended ON edu_sessions (expires_at);

-- A session's limit in USD is counted like any other cap on spending.
ALTER TABLE spend_counters DROP CONSTRAINT spend_counters_scope_check;
ALTER TABLE spend_counters ADD CONSTRAINT spend_counters_scope_check
  CHECK (scope IN ('platform', 'org', 'team', 'member', 'user', 'session', 'key', 'account'));

-- Finds them when their sessions are forgotten, since their window never ends.
CREATE INDEX spend_counters_session ON spend_counters (scope_id) WHERE scope = 'session';
