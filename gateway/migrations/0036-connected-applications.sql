-- Codes that an application exchanges for a key which its user has agreed to. The code itself is in no table: whoever reads
-- this one cannot exchange anything. A row goes when its code is used, or wrong, or old.
CREATE TABLE application_grants (
  code_hash bytea PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The SHA-256 of what the application keeps to itself, as it sent it.
  code_challenge text NOT NULL,
  key_name text NOT NULL,
  spend_limit_nano_usd bigint CHECK (spend_limit_nano_usd >= 0),
  spend_limit_period text,
  key_expires_at timestamptz,
  expires_at timestamptz NOT NULL
);

CREATE INDEX application_grants_by_user ON application_grants (user_id);
