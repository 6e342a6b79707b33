-- What people's calls cost without being paid for, kept where all processes see it, and the same sums by model.

-- One row for a person in an account, and one with an empty user for all of an organization. What a person left unpaid in
-- one account says nothing about them in another: a stranger's organization must not be able to lock somebody out.
CREATE TABLE exposures (
  account_id text NOT NULL,
  user_id text NOT NULL,
  -- As of `level_at`; it falls with time, and whoever reads it has to work that out.
  level_nano_usd bigint NOT NULL DEFAULT 0 CHECK (level_nano_usd >= 0),
  level_at timestamptz NOT NULL,
  -- Of the last month: each lasts longer than the one before.
  restrictions integer NOT NULL DEFAULT 0 CHECK (restrictions >= 0),
  restricted_at timestamptz,
  -- Null while `restricted_at` is set: until an operator lifts it.
  restricted_until timestamptz,
  restricted_reason text,
  -- What an operator has added to the allowance.
  extra_nano_usd bigint NOT NULL DEFAULT 0 CHECK (extra_nano_usd >= 0),
  PRIMARY KEY (account_id, user_id)
) WITH (fillfactor = 80);

CREATE INDEX exposures_recent ON exposures (level_at);

-- Cost that nobody paid, by model as well. The older table without models stays for builds that read it.
CREATE TABLE usage_unpaid (
  user_id text NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  account_id text NOT NULL,
  model_id text NOT NULL,
  requests bigint NOT NULL,
  absorbed_nano_usd bigint NOT NULL,
  PRIMARY KEY (user_id, day, reason, account_id, model_id)
);

CREATE FUNCTION roll_up_unpaid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_unpaid AS kept (user_id, day, reason, account_id, model_id, requests, absorbed_nano_usd)
  SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, coalesce(absorbed_reason, ''), account_id, left(model_id, 200),
         count(*), sum(absorbed_nano_usd)
  FROM added WHERE absorbed_nano_usd > 0 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (user_id, day, reason, account_id, model_id) DO UPDATE SET
    requests = kept.requests + excluded.requests,
    absorbed_nano_usd = kept.absorbed_nano_usd + excluded.absorbed_nano_usd;
  RETURN NULL;
END
$$;

-- Runs after `generations_roll_up`: triggers of one table run in the order of their names, in every process alike.
CREATE TRIGGER generations_roll_up_unpaid AFTER INSERT ON generations
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roll_up_unpaid();

-- Of months whose records are gone only the model is unknown.
INSERT INTO usage_unpaid
SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, coalesce(absorbed_reason, ''), account_id, left(model_id, 200),
       count(*), sum(absorbed_nano_usd)
FROM generations WHERE absorbed_nano_usd > 0 GROUP BY 1, 2, 3, 4, 5;

INSERT INTO usage_unpaid
SELECT user_id, day, reason, account_id, '', requests, absorbed_nano_usd FROM usage_absorbed a
WHERE NOT EXISTS (SELECT FROM usage_unpaid u
                  WHERE u.user_id = a.user_id AND u.day = a.day AND u.reason = a.reason AND u.account_id = a.account_id);
