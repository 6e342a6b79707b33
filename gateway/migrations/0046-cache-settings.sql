-- What keys and organizations say of the cache of answers, when it was emptied, and what it has saved. An organization's
-- word is among its settings.

-- Seconds; 0: never; null: as the organization says, or the call.
ALTER TABLE api_keys ADD COLUMN cache_ttl_seconds integer
  CONSTRAINT api_keys_cache_ttl CHECK (cache_ttl_seconds BETWEEN 0 AND 86400);

-- What was kept before is not given any more. Without a user: of the whole account.
CREATE TABLE answer_purges (
  account_id text NOT NULL,
  user_id text NOT NULL DEFAULT '',
  purged_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, user_id)
);

CREATE TABLE usage_saved (
  account_id text NOT NULL,
  day date NOT NULL,
  user_id text NOT NULL,
  model_id text NOT NULL,
  hits bigint NOT NULL,
  saved_nano_usd bigint NOT NULL,
  PRIMARY KEY (account_id, day, user_id, model_id)
);
