-- Usage that stays readable at any age: records in monthly partitions, so that old months are dropped whole, and roll-ups, so that no sum scans records.

ALTER TABLE generations RENAME TO generations_before;
ALTER INDEX generations_pkey RENAME TO generations_before_pkey;
ALTER INDEX generations_account RENAME TO generations_before_account;
DROP INDEX generations_key;

-- A key of a partitioned table has to hold the partitioning column. That an id is charged once is the ledger's unique
-- index; a record that is written again has the same time, so it still meets itself here.
CREATE TABLE generations (
  LIKE generations_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
  PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);

CREATE INDEX generations_account ON generations (account_id, created_at);
-- Rows arrive in the order of time, so a few bytes for each stretch of pages find a day.
CREATE INDEX generations_time ON generations USING brin (created_at);

-- Takes what no month takes: a month that was not made in time must never fail a settlement.
CREATE TABLE generations_default PARTITION OF generations DEFAULT;

-- Every sum that is read comes from these. A missing application is the empty text, because a key column cannot be null.
CREATE TABLE usage_daily (
  account_id text NOT NULL,
  day date NOT NULL,
  user_id text NOT NULL,
  key_id text NOT NULL,
  model_id text NOT NULL,
  app_name text NOT NULL,
  requests bigint NOT NULL,
  -- Calls that the upstream did not answer with a success.
  failed_requests bigint NOT NULL,
  prompt_tokens bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  cost_nano_usd bigint NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, day, user_id, key_id, model_id, app_name)
) WITH (fillfactor = 80);

CREATE INDEX usage_daily_key ON usage_daily (key_id, day);
CREATE INDEX usage_daily_day ON usage_daily USING brin (day);

-- For heat maps: the same by the hours of the day, the first element being the hour from midnight, UTC. A row for each
-- hour would be the same figures in thirteen times the space, and a year of them too many to read.
CREATE TABLE usage_hourly (
  account_id text NOT NULL,
  day date NOT NULL,
  user_id text NOT NULL,
  key_id text NOT NULL,
  model_id text NOT NULL,
  app_name text NOT NULL,
  requests bigint[] NOT NULL CHECK (cardinality(requests) = 24),
  tokens bigint[] NOT NULL CHECK (cardinality(tokens) = 24),
  cost_nano_usd bigint[] NOT NULL CHECK (cardinality(cost_nano_usd) = 24),
  PRIMARY KEY (account_id, day, user_id, key_id, model_id, app_name)
) WITH (fillfactor = 70);

CREATE INDEX usage_hourly_day ON usage_hourly USING brin (day);

-- Cost that nobody paid. Few calls have any.
CREATE TABLE usage_absorbed (
  user_id text NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  account_id text NOT NULL,
  requests bigint NOT NULL,
  absorbed_nano_usd bigint NOT NULL,
  PRIMARY KEY (user_id, day, reason, account_id)
);

-- What the records of a dropped month had cost each account, for the audit: charges whose record is gone add up to it.
CREATE TABLE dropped_months (
  month date NOT NULL,
  account_id text NOT NULL,
  cost_nano_usd bigint NOT NULL,
  PRIMARY KEY (month, account_id)
);

-- Runs at the end of every statement that adds records, whoever wrote the statement, and sees only the rows that were
-- really added: so a record and its place in the sums become visible together, and writing it again counts nothing.
-- Rows are taken in the order of their keys and tables in the order below, so that two batches cannot deadlock.
CREATE FUNCTION roll_up_generations() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  none CONSTANT bigint[] := array_fill(0::bigint, ARRAY[24]);
  hours timestamptz[];
  at_hour timestamptz;
  place integer;
BEGIN
  INSERT INTO usage_daily AS kept (
    account_id, day, user_id, key_id, model_id, app_name, requests, failed_requests, prompt_tokens, completion_tokens,
    cost_nano_usd, last_at
  )
  SELECT account_id, (created_at AT TIME ZONE 'UTC')::date, user_id, key_id, left(model_id, 200),
         left(coalesce(app_name, ''), 128), count(*), count(*) FILTER (WHERE upstream_status NOT BETWEEN 200 AND 299),
         sum(prompt_tokens), sum(completion_tokens), sum(cost_nano_usd), max(created_at)
  FROM added GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name) DO UPDATE SET
    requests = kept.requests + excluded.requests,
    failed_requests = kept.failed_requests + excluded.failed_requests,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    cost_nano_usd = kept.cost_nano_usd + excluded.cost_nano_usd,
    last_at = greatest(kept.last_at, excluded.last_at);

  hours := ARRAY(SELECT DISTINCT date_trunc('hour', created_at, 'UTC') FROM added ORDER BY 1);
  -- A batch seldom has more than one hour. When it does, all its rows are taken first, in their order.
  IF cardinality(hours) > 1 THEN
    INSERT INTO usage_hourly AS kept (
      account_id, day, user_id, key_id, model_id, app_name, requests, tokens, cost_nano_usd
    )
    SELECT DISTINCT account_id, (created_at AT TIME ZONE 'UTC')::date, user_id, key_id, left(model_id, 200),
           left(coalesce(app_name, ''), 128), none, none, none
    FROM added ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name) DO UPDATE SET requests = kept.requests;
  END IF;
  FOREACH at_hour IN ARRAY hours LOOP
    place := extract(hour FROM at_hour AT TIME ZONE 'UTC')::integer + 1;
    INSERT INTO usage_hourly AS kept (
      account_id, day, user_id, key_id, model_id, app_name, requests, tokens, cost_nano_usd
    )
    SELECT account_id, (created_at AT TIME ZONE 'UTC')::date, user_id, key_id, left(model_id, 200),
           left(coalesce(app_name, ''), 128),
           none[:place - 1] || count(*) || none[place + 1:],
           none[:place - 1] || sum(prompt_tokens + completion_tokens)::bigint || none[place + 1:],
           none[:place - 1] || sum(cost_nano_usd)::bigint || none[place + 1:]
    FROM added WHERE created_at >= at_hour AND created_at < at_hour + interval '1 hour'
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name) DO UPDATE SET
      requests[place] = kept.requests[place] + excluded.requests[place],
      tokens[place] = kept.tokens[place] + excluded.tokens[place],
      cost_nano_usd[place] = kept.cost_nano_usd[place] + excluded.cost_nano_usd[place];
  END LOOP;

  INSERT INTO usage_absorbed AS kept (user_id, day, reason, account_id, requests, absorbed_nano_usd)
  SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, coalesce(absorbed_reason, ''), account_id, count(*),
         sum(absorbed_nano_usd)
  FROM added WHERE absorbed_nano_usd > 0 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (user_id, day, reason, account_id) DO UPDATE SET
    requests = kept.requests + excluded.requests,
    absorbed_nano_usd = kept.absorbed_nano_usd + excluded.absorbed_nano_usd;
  RETURN NULL;
END
$$;

CREATE TRIGGER generations_roll_up AFTER INSERT ON generations
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roll_up_generations();

-- Makes the partition of the month that a day lies in; false when there is one. The lock on the default partition
-- waits for those who read it, and those who come later wait behind it, so it gives up soon and is tried again.
CREATE FUNCTION ensure_generation_month(in_month date) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  first_day timestamp := date_trunc('month', in_month::timestamp);
  starts timestamptz := first_day AT TIME ZONE 'UTC';
  ends timestamptz := (first_day + interval '1 month') AT TIME ZONE 'UTC';
  name text := 'generations_' || to_char(first_day, 'YYYY_MM');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('generation months', 0));
  IF to_regclass(name) IS NOT NULL THEN RETURN false; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE generations INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
  LOCK TABLE generations_default IN ACCESS EXCLUSIVE MODE;
  EXECUTE format(
    'WITH moved AS (DELETE FROM generations_default WHERE created_at >= $1 AND created_at < $2 RETURNING *)
     INSERT INTO %I SELECT * FROM moved', name) USING starts, ends;
  -- Attached rather than made in place: that would lock out every settlement meanwhile.
  EXECUTE format('ALTER TABLE generations ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
  RETURN true;
END
$$;

-- Drops the records of one month and keeps its sums; false when there is no such month.
CREATE FUNCTION drop_generation_month(in_month date) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  first_day date := date_trunc('month', in_month::timestamp)::date;
  after_day date := (date_trunc('month', in_month::timestamp) + interval '1 month')::date;
  name text := 'generations_' || to_char(first_day, 'YYYY_MM');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('generation months', 0));
  IF to_regclass(name) IS NULL THEN RETURN false; END IF;
  -- Nobody adds to the month between its sums being read and its records going. Other months are not held up.
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', name);
  INSERT INTO dropped_months AS kept (month, account_id, cost_nano_usd)
  SELECT first_day, account_id, sum(cost_nano_usd) FROM usage_daily
  WHERE day >= first_day AND day < after_day GROUP BY account_id
  ON CONFLICT (month, account_id) DO UPDATE SET cost_nano_usd = excluded.cost_nano_usd;
  EXECUTE format('DROP TABLE %I', name);
  RETURN true;
END
$$;

SELECT ensure_generation_month(month) FROM (
  SELECT DISTINCT date_trunc('month', created_at AT TIME ZONE 'UTC')::date AS month FROM generations_before
  UNION
  SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + ahead * interval '1 month')::date
  FROM generate_series(0, 2) AS ahead
) AS needed ORDER BY month;

-- The trigger makes the sums of what is already there.
INSERT INTO generations SELECT * FROM generations_before;

DROP TABLE generations_before;
