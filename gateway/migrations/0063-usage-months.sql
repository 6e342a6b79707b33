-- Months of usage that are over are added up by themselves, so that a year of everybody's calls is a few rows for each account, key and model.

-- Whether a month's sums below are all of its calls. Whoever adds to a day of a month that is over writes its row here, in
-- the same transaction: whoever adds it up meanwhile waits for that at the end, and sees that it has to be done again.
CREATE TABLE usage_months (
  month date PRIMARY KEY CHECK (extract(day FROM month) = 1),
  is_added_up boolean NOT NULL DEFAULT false,
  changes bigint NOT NULL DEFAULT 0
);

-- Of all accounts: by day, account, model, key and user.
CREATE TABLE usage_monthly (
  month date NOT NULL REFERENCES usage_months (month),
  kind text NOT NULL,
  id text NOT NULL,
  requests bigint NOT NULL,
  failed_requests bigint NOT NULL,
  prompt_tokens bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  cost_nano_usd bigint NOT NULL,
  markup_nano_usd bigint NOT NULL,
  -- How many users a day had; nothing for all other kinds.
  users bigint NOT NULL,
  PRIMARY KEY (month, kind, id)
);

CREATE FUNCTION doubt_usage_months(days date[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_months AS kept (month)
  SELECT DISTINCT date_trunc('month', t.day::timestamp)::date FROM unnest(days) AS t (day)
  WHERE t.day < date_trunc('month', now() AT TIME ZONE 'UTC') ORDER BY 1
  ON CONFLICT (month) DO UPDATE SET is_added_up = false, changes = kept.changes + 1
$$;

-- As it was, but for months that are over.
CREATE OR REPLACE FUNCTION roll_up_sums(ids text[], times timestamptz[]) RETURNS void LANGUAGE plpgsql
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
                max(g.created_at), sum(g.absorbed_nano_usd), sum(g.free_units),
                coalesce(sum(g.markup_nano_usd), 0))::usage_sum
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
    completion_tokens, cost_nano_usd, upstream_nano_usd, last_at, markup_nano_usd
  )
  SELECT account_id, day, user_id, key_id, model_id, app_name, team_id, sum(requests), sum(failed_requests),
         sum(prompt_tokens), sum(completion_tokens), sum(cost_nano_usd), sum(upstream_nano_usd), max(last_at),
         sum(markup_nano_usd)
  FROM unnest(sums) GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name, team_id) DO UPDATE SET
    requests = kept.requests + excluded.requests,
    failed_requests = kept.failed_requests + excluded.failed_requests,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    cost_nano_usd = kept.cost_nano_usd + excluded.cost_nano_usd,
    upstream_nano_usd = kept.upstream_nano_usd + excluded.upstream_nano_usd,
    last_at = greatest(kept.last_at, excluded.last_at),
    markup_nano_usd = kept.markup_nano_usd + excluded.markup_nano_usd;

  -- A call of a month that is over: what was added up of that month is no longer all of it.
  IF EXISTS (SELECT FROM unnest(sums) WHERE day < date_trunc('month', now() AT TIME ZONE 'UTC')) THEN
    PERFORM doubt_usage_months(ARRAY(SELECT DISTINCT day FROM unnest(sums)));
  END IF;

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

COMMENT ON TABLE usage_monthly IS
  'usage: Sums of the calls of months that are over, by day, account, model, key and user, for reports of long spans.';
COMMENT ON TABLE usage_months IS 'usage: Which of these sums are all of their month; a call that comes late says no.';
