-- An answer waits for rows that are only added; balances, counters, slices and sums are folded from them a few times a second.

-- What was added and is not folded yet: one row for each batch, removed by the fold. It keeps the ids, so that whoever
-- comes after a dead process finds its calls without a search, and the charges, so that reads can count them.
CREATE SEQUENCE unfolded_batch_no CACHE 1;

CREATE TABLE unfolded_batches (
  -- Whose slices the charges come out of.
  process_id text NOT NULL,
  batch_no bigint NOT NULL DEFAULT nextval('unfolded_batch_no'),
  generation_ids text[] NOT NULL,
  called_at timestamptz[] NOT NULL,
  account_ids text[] NOT NULL,
  amounts bigint[] NOT NULL,
  -- What of each amount comes out of the process's slice of the account; null: all of it.
  parts bigint[],
  -- Sums for the whole batch. A charge is counted in full, and only what was held of a counter leaves the slice.
  counter_ids bigint[] NOT NULL DEFAULT '{}',
  counter_amounts bigint[] NOT NULL DEFAULT '{}',
  counter_parts bigint[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (process_id, batch_no)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);

-- An array of ids does not get smaller by trying.
ALTER TABLE unfolded_batches ALTER COLUMN generation_ids SET STORAGE EXTERNAL, ALTER COLUMN called_at SET STORAGE EXTERNAL,
  ALTER COLUMN account_ids SET STORAGE EXTERNAL, ALTER COLUMN amounts SET STORAGE EXTERNAL;

CREATE VIEW unfolded_charges AS
  SELECT t.account_id, t.amount_nano_usd
  FROM unfolded_batches u CROSS JOIN LATERAL unnest(u.account_ids, u.amounts) AS t (account_id, amount_nano_usd);

-- For a statement that has locked the account's row and waited for it: a look of its own, as of after the wait.
CREATE FUNCTION unfolded_nano_usd(of_account text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN coalesce((SELECT sum(c.amount_nano_usd) FROM unfolded_charges c WHERE c.account_id = of_account), 0);
END
$$;

CREATE VIEW unfolded_counts AS
  SELECT t.counter_id, t.amount_nano_usd
  FROM unfolded_batches u CROSS JOIN LATERAL unnest(u.counter_ids, u.counter_amounts) AS t (counter_id, amount_nano_usd);

-- The OFFSET keeps the planner from turning the look at a few rows by their key into a scan of all records.
CREATE VIEW unfolded_generations AS
  SELECT t.account_id, (t.called_at AT TIME ZONE 'UTC')::date AS day, t.called_at, g.user_id, g.key_id,
         left(g.model_id, 200) AS model_id, left(coalesce(g.app_name, ''), 128) AS app_name,
         coalesce(g.team_id, '') AS team_id, g.model_id AS whole_model_id, g.upstream_status, g.prompt_tokens,
         g.completion_tokens, g.cost_nano_usd, g.subtotal_nano_usd, g.cache_discount_nano_usd, g.absorbed_nano_usd,
         coalesce(g.absorbed_reason, '') AS reason, g.free_units
  FROM unfolded_batches u
  CROSS JOIN LATERAL unnest(u.generation_ids, u.called_at, u.account_ids) AS t (id, called_at, account_id)
  CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g;

-- The sums as they are at this moment. A key may have several rows here: whoever reads adds them up.
CREATE VIEW usage_daily_now AS
  SELECT account_id, day, user_id, key_id, model_id, app_name, team_id, requests, failed_requests, prompt_tokens,
         completion_tokens, cost_nano_usd, upstream_nano_usd, last_at
  FROM usage_daily
  UNION ALL
  SELECT account_id, day, user_id, key_id, model_id, app_name, team_id, 1,
         CASE WHEN upstream_status BETWEEN 200 AND 299 THEN 0 ELSE 1 END, prompt_tokens, completion_tokens,
         cost_nano_usd, CASE WHEN cost_nano_usd > 0 THEN subtotal_nano_usd - cache_discount_nano_usd ELSE 0 END,
         called_at
  FROM unfolded_generations;

-- The figure of an hour in its place among the day's.
CREATE FUNCTION in_hour_of_day(at timestamptz, figure bigint) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_fill(0::bigint, ARRAY[extract(hour FROM at AT TIME ZONE 'UTC')::integer]) || figure
    || array_fill(0::bigint, ARRAY[23 - extract(hour FROM at AT TIME ZONE 'UTC')::integer])
$$;

CREATE VIEW usage_hourly_now AS
  SELECT account_id, day, user_id, key_id, model_id, app_name, requests, tokens, cost_nano_usd FROM usage_hourly
  UNION ALL
  SELECT account_id, day, user_id, key_id, model_id, app_name, in_hour_of_day(called_at, 1),
         in_hour_of_day(called_at, prompt_tokens + completion_tokens), in_hour_of_day(called_at, cost_nano_usd)
  FROM unfolded_generations;

CREATE VIEW usage_absorbed_now AS
  SELECT user_id, day, reason, account_id, requests, absorbed_nano_usd FROM usage_absorbed
  UNION ALL
  SELECT user_id, day, reason, account_id, 1, absorbed_nano_usd FROM unfolded_generations WHERE absorbed_nano_usd > 0;

CREATE VIEW usage_unpaid_now AS
  SELECT user_id, day, reason, account_id, model_id, requests, absorbed_nano_usd FROM usage_unpaid
  UNION ALL
  SELECT user_id, day, reason, account_id, model_id, 1, absorbed_nano_usd
  FROM unfolded_generations WHERE absorbed_nano_usd > 0;

CREATE VIEW free_usage_now AS
  SELECT user_id, day, model_id, units FROM free_usage
  UNION ALL
  SELECT user_id, day, whole_model_id, free_units FROM unfolded_generations WHERE free_units > 0;

-- Sums are made by the fold and by nothing else.
DROP TRIGGER generations_roll_up ON generations;
DROP TRIGGER generations_count_free ON generations;
DROP TRIGGER generations_roll_up_unpaid ON generations;
DROP FUNCTION roll_up_generations();
DROP FUNCTION count_free_generations();
DROP FUNCTION roll_up_unpaid();

CREATE TYPE usage_sum AS (
  account_id text, day date, user_id text, key_id text, model_id text, app_name text, team_id text, hour timestamptz,
  requests bigint, failed_requests bigint, prompt_tokens bigint, completion_tokens bigint, cost_nano_usd bigint,
  upstream_nano_usd bigint, last_at timestamptz, absorbed_nano_usd bigint, free_units bigint
);

-- Adds records to the sums; each must be given once. Rows are taken in the order of their keys and tables in the order
-- below, so that two folds cannot deadlock. The plans do not depend on what is given, so they are made once.
CREATE FUNCTION roll_up(ids text[], times timestamptz[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  none CONSTANT bigint[] := array_fill(0::bigint, ARRAY[24]);
  sums usage_sum[];
  hours timestamptz[];
  at_hour timestamptz;
  place integer;
BEGIN
  sums := ARRAY(
    SELECT ROW (g.account_id, (g.created_at AT TIME ZONE 'UTC')::date, g.user_id, g.key_id, left(g.model_id, 200),
                left(coalesce(g.app_name, ''), 128), coalesce(g.team_id, ''), date_trunc('hour', g.created_at, 'UTC'),
                count(*), count(*) FILTER (WHERE g.upstream_status NOT BETWEEN 200 AND 299), sum(g.prompt_tokens),
                sum(g.completion_tokens), sum(g.cost_nano_usd),
                coalesce(sum(g.subtotal_nano_usd - g.cache_discount_nano_usd) FILTER (WHERE g.cost_nano_usd > 0), 0),
                max(g.created_at), sum(g.absorbed_nano_usd), sum(g.free_units))::usage_sum
    FROM unnest(ids, times) AS t (id, called_at)
    CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g
    GROUP BY g.account_id, (g.created_at AT TIME ZONE 'UTC')::date, g.user_id, g.key_id, left(g.model_id, 200),
             left(coalesce(g.app_name, ''), 128), coalesce(g.team_id, ''), date_trunc('hour', g.created_at, 'UTC')
  );

  IF EXISTS (SELECT FROM unnest(sums) WHERE free_units > 0) THEN
    INSERT INTO free_usage AS kept (user_id, day, model_id, units)
    SELECT g.user_id, (g.created_at AT TIME ZONE 'UTC')::date, g.model_id, sum(g.free_units)
    FROM unnest(ids, times) AS t (id, called_at)
    CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g
    WHERE g.free_units > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (user_id, day, model_id) DO UPDATE SET units = kept.units + excluded.units;
  END IF;

  INSERT INTO usage_daily AS kept (
    account_id, day, user_id, key_id, model_id, app_name, team_id, requests, failed_requests, prompt_tokens,
    completion_tokens, cost_nano_usd, upstream_nano_usd, last_at
  )
  SELECT account_id, day, user_id, key_id, model_id, app_name, team_id, sum(requests), sum(failed_requests),
         sum(prompt_tokens), sum(completion_tokens), sum(cost_nano_usd), sum(upstream_nano_usd), max(last_at)
  FROM unnest(sums) GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name, team_id) DO UPDATE SET
    requests = kept.requests + excluded.requests,
    failed_requests = kept.failed_requests + excluded.failed_requests,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    cost_nano_usd = kept.cost_nano_usd + excluded.cost_nano_usd,
    upstream_nano_usd = kept.upstream_nano_usd + excluded.upstream_nano_usd,
    last_at = greatest(kept.last_at, excluded.last_at);

  hours := ARRAY(SELECT DISTINCT hour FROM unnest(sums) ORDER BY 1);
  -- There is seldom more than one hour. When there is, all rows are taken first, in their order.
  IF cardinality(hours) > 1 THEN
    INSERT INTO usage_hourly AS kept (
      account_id, day, user_id, key_id, model_id, app_name, requests, tokens, cost_nano_usd
    )
    SELECT DISTINCT account_id, day, user_id, key_id, model_id, app_name, none, none, none
    FROM unnest(sums) ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name) DO UPDATE SET requests = kept.requests;
  END IF;
  FOREACH at_hour IN ARRAY hours LOOP
    place := extract(hour FROM at_hour AT TIME ZONE 'UTC')::integer + 1;
    INSERT INTO usage_hourly AS kept (
      account_id, day, user_id, key_id, model_id, app_name, requests, tokens, cost_nano_usd
    )
    SELECT account_id, day, user_id, key_id, model_id, app_name,
           none[:place - 1] || sum(requests)::bigint || none[place + 1:],
           none[:place - 1] || sum(prompt_tokens + completion_tokens)::bigint || none[place + 1:],
           none[:place - 1] || sum(cost_nano_usd)::bigint || none[place + 1:]
    FROM unnest(sums) WHERE hour = at_hour
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name) DO UPDATE SET
      requests[place] = kept.requests[place] + excluded.requests[place],
      tokens[place] = kept.tokens[place] + excluded.tokens[place],
      cost_nano_usd[place] = kept.cost_nano_usd[place] + excluded.cost_nano_usd[place];
  END LOOP;

  IF EXISTS (SELECT FROM unnest(sums) WHERE absorbed_nano_usd > 0) THEN
    INSERT INTO usage_absorbed AS kept (user_id, day, reason, account_id, requests, absorbed_nano_usd)
    SELECT g.user_id, (g.created_at AT TIME ZONE 'UTC')::date, coalesce(g.absorbed_reason, ''), g.account_id, count(*),
           sum(g.absorbed_nano_usd)
    FROM unnest(ids, times) AS t (id, called_at)
    CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g
    WHERE g.absorbed_nano_usd > 0 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (user_id, day, reason, account_id) DO UPDATE SET
      requests = kept.requests + excluded.requests,
      absorbed_nano_usd = kept.absorbed_nano_usd + excluded.absorbed_nano_usd;

    INSERT INTO usage_unpaid AS kept (user_id, day, reason, account_id, model_id, requests, absorbed_nano_usd)
    SELECT g.user_id, (g.created_at AT TIME ZONE 'UTC')::date, coalesce(g.absorbed_reason, ''), g.account_id,
           left(g.model_id, 200), count(*), sum(g.absorbed_nano_usd)
    FROM unnest(ids, times) AS t (id, called_at)
    CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g
    WHERE g.absorbed_nano_usd > 0 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (user_id, day, reason, account_id, model_id) DO UPDATE SET
      requests = kept.requests + excluded.requests,
      absorbed_nano_usd = kept.absorbed_nano_usd + excluded.absorbed_nano_usd;
  END IF;
END
$$;

-- Folds batches of one process, or one of them, the oldest first and so many at most: takes the charges out of balances
-- and of the slices that they were leased in, counts them, and adds the records to the sums. Accounts are locked before
-- counters, both in the order of their ids, as everybody locks them. Only one snapshot for each statement will do
-- (read committed): a figure is taken from the row after it is locked.
CREATE FUNCTION fold_batches(of_process text, only_batch bigint, batches_max integer)
RETURNS TABLE (batches integer, account_ids text[], spendables bigint[]) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  ids text[];
  times timestamptz[];
  charged_ids text[];
  charges bigint[];
  from_slices bigint[];
  counted_ids bigint[];
  counts bigint[];
  counted_parts bigint[];
BEGIN
  WITH due AS (
    SELECT process_id, batch_no FROM unfolded_batches
    WHERE process_id = of_process AND (only_batch IS NULL OR batch_no = only_batch)
    ORDER BY batch_no LIMIT batches_max FOR UPDATE
  ), taken AS MATERIALIZED (
    DELETE FROM unfolded_batches u USING due
    WHERE u.process_id = due.process_id AND u.batch_no = due.batch_no RETURNING u.*
  ), calls AS MATERIALIZED (
    SELECT t.* FROM taken CROSS JOIN LATERAL
      unnest(taken.generation_ids, taken.called_at, taken.account_ids, taken.amounts,
             coalesce(taken.parts, taken.amounts)) AS t (id, called_at, account_id, amount, part)
  ), charged AS (
    SELECT account_id, sum(amount)::bigint AS amount, sum(part)::bigint AS part
    FROM calls WHERE amount > 0 GROUP BY account_id
  ), counted AS (
    SELECT t.id, sum(t.amount)::bigint AS amount, sum(t.part)::bigint AS part
    FROM taken CROSS JOIN LATERAL
      unnest(taken.counter_ids, taken.counter_amounts, taken.counter_parts) AS t (id, amount, part)
    GROUP BY t.id
  )
  SELECT (SELECT count(*) FROM taken), (SELECT array_agg(c.id) FROM calls c), (SELECT array_agg(c.called_at) FROM calls c),
         (SELECT array_agg(c.account_id) FROM charged c), (SELECT array_agg(c.amount) FROM charged c),
         (SELECT array_agg(c.part) FROM charged c), (SELECT array_agg(c.id) FROM counted c),
         (SELECT array_agg(c.amount) FROM counted c), (SELECT array_agg(c.part) FROM counted c)
  INTO batches, ids, times, charged_ids, charges, from_slices, counted_ids, counts, counted_parts;

  IF charged_ids IS NOT NULL THEN
    PERFORM FROM accounts a WHERE a.id = ANY (charged_ids) ORDER BY a.id FOR UPDATE;
    WITH own AS MATERIALIZED (
      SELECT t.account_id, t.amount, s.amount_nano_usd AS sliced, least(s.amount_nano_usd, t.part) AS part
      FROM unnest(charged_ids, charges, from_slices) AS t (account_id, amount, part)
      LEFT JOIN account_slices s ON s.account_id = t.account_id AND s.process_id = of_process
    ), lowered AS (
      UPDATE account_slices s SET amount_nano_usd = own.sliced - own.part
      FROM own WHERE s.account_id = own.account_id AND s.process_id = of_process AND own.part > 0
    ), lessened AS (
      UPDATE accounts a SET
        balance_nano_usd = a.balance_nano_usd - own.amount,
        total_spent_nano_usd = a.total_spent_nano_usd + own.amount,
        leased_nano_usd = a.leased_nano_usd - coalesce(own.part, 0),
        owed_nano_usd = least(a.owed_nano_usd, greatest(0,
          a.leased_nano_usd - coalesce(own.part, 0) + a.held_nano_usd
          - (a.balance_nano_usd - own.amount) - a.credit_line_nano_usd))
      FROM own WHERE a.id = own.account_id
      RETURNING a.id, a.balance_nano_usd + a.credit_line_nano_usd AS spendable
    )
    SELECT array_agg(l.id), array_agg(l.spendable) FROM lessened l INTO account_ids, spendables;
  END IF;

  IF counted_ids IS NOT NULL THEN
    PERFORM FROM spend_counters c WHERE c.id = ANY (counted_ids) ORDER BY c.id FOR UPDATE;
    WITH own AS MATERIALIZED (
      SELECT t.id, t.amount, s.amount_nano_usd AS sliced, least(s.amount_nano_usd, t.part) AS part
      FROM unnest(counted_ids, counts, counted_parts) AS t (id, amount, part)
      LEFT JOIN counter_slices s ON s.counter_id = t.id AND s.process_id = of_process
    ), lowered AS (
      UPDATE counter_slices s SET amount_nano_usd = own.sliced - own.part
      FROM own WHERE s.counter_id = own.id AND s.process_id = of_process AND own.part > 0
    )
    UPDATE spend_counters c SET
      spent_nano_usd = c.spent_nano_usd + own.amount, leased_nano_usd = c.leased_nano_usd - coalesce(own.part, 0)
    FROM own WHERE c.id = own.id;
  END IF;

  IF ids IS NOT NULL THEN PERFORM roll_up(ids, times); END IF;
  RETURN NEXT;
END
$$;

-- As it was, but a month that still has calls to fold is not dropped: its sums would lack them.
CREATE OR REPLACE FUNCTION drop_generation_month(in_month date) RETURNS boolean LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
DECLARE
  first_day date := date_trunc('month', in_month::timestamp)::date;
  after_day date := (date_trunc('month', in_month::timestamp) + interval '1 month')::date;
  name text := 'generations_' || to_char(first_day, 'YYYY_MM');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('generation months', 0));
  IF to_regclass(name) IS NULL THEN RETURN false; END IF;
  -- Nobody adds to the month between its sums being read and its records going. Other months are not held up.
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', name);
  IF EXISTS (SELECT FROM unfolded_generations WHERE day >= first_day AND day < after_day) THEN RETURN false; END IF;
  INSERT INTO dropped_months AS kept (month, account_id, cost_nano_usd)
  SELECT first_day, account_id, sum(cost_nano_usd) FROM usage_daily
  WHERE day >= first_day AND day < after_day GROUP BY account_id
  ON CONFLICT (month, account_id) DO UPDATE SET cost_nano_usd = excluded.cost_nano_usd;
  EXECUTE format('DROP TABLE %I', name);
  RETURN true;
END
$$;
