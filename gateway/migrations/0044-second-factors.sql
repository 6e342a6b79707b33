-- A second factor beside the password: codes of an authenticator app, passkeys, and recovery codes for the day both are lost.

-- The secret is sealed. Without a moment of confirmation it was only shown, and opens nothing.
CREATE TABLE totp_secrets (
  user_id text PRIMARY KEY REFERENCES users (id),
  secret text NOT NULL,
  confirmed_at timestamptz,
  -- The half minute of the last code that was accepted: none is accepted twice.
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);

CREATE TABLE recovery_codes (
  user_id text NOT NULL REFERENCES users (id),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (user_id, hash)
);

CREATE TABLE passkeys (
  -- As the authenticator calls it, in base64url.
  credential_id text PRIMARY KEY,
  id text NOT NULL UNIQUE,
  user_id text NOT NULL REFERENCES users (id),
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL DEFAULT '{}',
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);

CREATE INDEX passkeys_user ON passkeys (user_id);

-- Whoever has shown the password and not yet the second factor, or is about to add a passkey. The token is in a cookie.
CREATE TABLE second_steps (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  user_id text NOT NULL REFERENCES users (id),
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'new_passkey')),
  -- What a passkey has to sign.
  challenge text,
  expires_at timestamptz NOT NULL
);

CREATE INDEX second_steps_expired ON second_steps (expires_at);
CREATE INDEX second_steps_user ON second_steps (user_id);

-- When a second factor was shown in this session; null: never.
ALTER TABLE sessions ADD COLUMN second_factor_at timestamptz;
