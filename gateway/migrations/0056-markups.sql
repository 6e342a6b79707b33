-- What operators keep of a price that is more than what a call cost them.

-- Of the charge and of what nobody paid together; null where a call was sold for what it cost.
ALTER TABLE generations ADD COLUMN markup_nano_usd bigint;

ALTER TABLE usage_daily ADD COLUMN markup_nano_usd bigint NOT NULL DEFAULT 0;

-- At what a video that is being made will have cost the operator; null where it is sold for that.
ALTER TABLE video_jobs ADD COLUMN second_cost bigint, ADD COLUMN request_cost bigint;

CREATE OR REPLACE VIEW unfolded_generations AS
  SELECT t.account_id, (t.called_at AT TIME ZONE 'UTC')::date AS day, t.called_at, g.user_id, g.key_id,
         left(g.model_id, 200) AS model_id, left(coalesce(g.app_name, ''), 128) AS app_name,
         coalesce(g.team_id, '') AS team_id, g.model_id AS whole_model_id, g.upstream_status, g.prompt_tokens,
         g.completion_tokens, g.cost_nano_usd, g.subtotal_nano_usd, g.cache_discount_nano_usd, g.absorbed_nano_usd,
         coalesce(g.absorbed_reason, '') AS reason, g.free_units, coalesce(g.markup_nano_usd, 0) AS markup_nano_usd
  FROM unfolded_batches u
  CROSS JOIN LATERAL unnest(u.generation_ids, u.called_at, u.account_ids) AS t (id, called_at, account_id)
  CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g;

CREATE OR REPLACE VIEW usage_daily_now AS
  SELECT account_id, day, user_id, key_id, model_id, app_name, team_id, requests, failed_requests, prompt_tokens,
         completion_tokens, cost_nano_usd, upstream_nano_usd, last_at, markup_nano_usd
  FROM usage_daily
  UNION ALL
  SELECT account_id, day, user_id, key_id, model_id, app_name, team_id, 1,
         CASE WHEN upstream_status BETWEEN 200 AND 299 THEN 0 ELSE 1 END, prompt_tokens, completion_tokens,
         cost_nano_usd, CASE WHEN cost_nano_usd > 0 THEN subtotal_nano_usd - cache_discount_nano_usd ELSE 0 END,
         called_at, markup_nano_usd
  FROM unfolded_generations;

-- As it was, with the markups among what is added up: a record is read once for all its sums.
ALTER TYPE usage_sum ADD ATTRIBUTE markup_nano_usd bigint;

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
