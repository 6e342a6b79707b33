-- Answers to calls with an idempotency key, sealed, for a day: asked again, the same answer is given and nothing charged.

CREATE TABLE idempotent_calls (
  -- A digest of who calls and the key that they sent.
  id text PRIMARY KEY,
  account_id text NOT NULL,
  body_digest text NOT NULL,
  -- One for all who run the call, so that it is charged once.
  generation_id text NOT NULL,
  called_at timestamptz NOT NULL,
  -- Null once it is answered.
  runner text,
  alive_at timestamptz NOT NULL,
  answer bytea,
  answer_bytes integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL
);

CREATE INDEX idempotent_calls_account ON idempotent_calls (account_id) INCLUDE (answer_bytes);
CREATE INDEX idempotent_calls_expiry ON idempotent_calls (expires_at);
