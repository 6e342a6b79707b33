-- Codes that people redeem for credit: the operator makes them in batches, each is good once, and only keyed hashes are kept.

CREATE TABLE credit_code_batches (
  id text PRIMARY KEY,
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd > 0),
  -- The holder of the account reads it.
  note text NOT NULL,
  expires_at timestamptz,
  -- From when on the unused ones are good for nothing.
  voided_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX credit_code_batches_time ON credit_code_batches (created_at, id);

CREATE TABLE credit_codes (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  id text NOT NULL UNIQUE,
  batch_id text NOT NULL REFERENCES credit_code_batches (id),
  account_id text,
  user_id text,
  redeemed_at timestamptz,
  CHECK ((redeemed_at IS NULL) = (account_id IS NULL))
);

CREATE INDEX credit_codes_batch ON credit_codes (batch_id);
