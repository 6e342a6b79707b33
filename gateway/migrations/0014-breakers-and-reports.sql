-- Organizations watch their spending: breakers for an organization, its teams and its members, and sums that know the team a call was made in.

-- Null inherits: a member takes its team's value, a team its organization's, an organization the platform's. What was
-- last switched on or off begins a new counter, because nobody counted while it was off.
ALTER TABLE organizations
  ADD COLUMN breaker_is_enabled boolean,
  ADD COLUMN breaker_minute_nano_usd bigint CHECK (breaker_minute_nano_usd > 0),
  ADD COLUMN breaker_hour_nano_usd bigint CHECK (breaker_hour_nano_usd > 0),
  ADD COLUMN breaker_switched_at timestamptz NOT NULL DEFAULT now();

ALTER TABLE teams
  ADD COLUMN breaker_is_enabled boolean,
  ADD COLUMN breaker_minute_nano_usd bigint CHECK (breaker_minute_nano_usd > 0),
  ADD COLUMN breaker_hour_nano_usd bigint CHECK (breaker_hour_nano_usd > 0),
  ADD COLUMN breaker_switched_at timestamptz NOT NULL DEFAULT now();

ALTER TABLE org_members
  ADD COLUMN breaker_is_enabled boolean,
  ADD COLUMN breaker_minute_nano_usd bigint CHECK (breaker_minute_nano_usd > 0),
  ADD COLUMN breaker_hour_nano_usd bigint CHECK (breaker_hour_nano_usd > 0),
  ADD COLUMN breaker_switched_at timestamptz NOT NULL DEFAULT now();

CREATE FUNCTION note_breaker_switch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.breaker_switched_at := clock_timestamp();
  RETURN NEW;
END
$$;

CREATE TRIGGER organizations_breaker_switch BEFORE UPDATE ON organizations
  FOR EACH ROW WHEN (OLD.breaker_is_enabled IS DISTINCT FROM NEW.breaker_is_enabled)
  EXECUTE FUNCTION note_breaker_switch();

CREATE TRIGGER teams_breaker_switch BEFORE UPDATE ON teams
  FOR EACH ROW WHEN (OLD.breaker_is_enabled IS DISTINCT FROM NEW.breaker_is_enabled)
  EXECUTE FUNCTION note_breaker_switch();

-- Another team may switch a member's breaker as well.
CREATE TRIGGER org_members_breaker_switch BEFORE UPDATE ON org_members
  FOR EACH ROW WHEN (
    OLD.breaker_is_enabled IS DISTINCT FROM NEW.breaker_is_enabled OR OLD.team_id IS DISTINCT FROM NEW.team_id
  ) EXECUTE FUNCTION note_breaker_switch();

-- The team that the caller was in when the call began. Spending stays with it, wherever its member goes.
ALTER TABLE generations ADD COLUMN team_id text;

-- No team is the empty text, because a key column cannot be null. What calls that were charged cost by the list price
-- of whoever served them stands beside what was charged: the difference is the margin.
ALTER TABLE usage_daily
  ADD COLUMN team_id text NOT NULL DEFAULT '',
  ADD COLUMN upstream_nano_usd bigint NOT NULL DEFAULT 0;

ALTER TABLE usage_daily DROP CONSTRAINT usage_daily_pkey;
ALTER TABLE usage_daily ADD PRIMARY KEY (account_id, day, user_id, key_id, model_id, app_name, team_id);

-- Where the records are gone, what was charged is the best that is known.
UPDATE usage_daily SET upstream_nano_usd = cost_nano_usd WHERE cost_nano_usd <> 0;

UPDATE usage_daily u SET upstream_nano_usd = e.amount
FROM (
  SELECT account_id, (created_at AT TIME ZONE 'UTC')::date AS day, user_id, key_id, left(model_id, 200) AS model_id,
         left(coalesce(app_name, ''), 128) AS app_name, sum(subtotal_nano_usd - cache_discount_nano_usd) AS amount
  FROM generations WHERE cost_nano_usd > 0 GROUP BY 1, 2, 3, 4, 5, 6
) e
WHERE u.account_id = e.account_id AND u.day = e.day AND u.user_id = e.user_id AND u.key_id = e.key_id
  AND u.model_id = e.model_id AND u.app_name = e.app_name AND u.upstream_nano_usd <> e.amount;

-- As it was, with the team and the upstream's price in the daily sums.
CREATE OR REPLACE FUNCTION roll_up_generations() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  none CONSTANT bigint[] := array_fill(0::bigint, ARRAY[24]);
  hours timestamptz[];
  at_hour timestamptz;
  place integer;
BEGIN
  INSERT INTO usage_daily AS kept (
    account_id, day, user_id, key_id, model_id, app_name, team_id, requests, failed_requests, prompt_tokens,
    completion_tokens, cost_nano_usd, upstream_nano_usd, last_at
  )
  SELECT account_id, (created_at AT TIME ZONE 'UTC')::date, user_id, key_id, left(model_id, 200),
         left(coalesce(app_name, ''), 128), coalesce(team_id, ''), count(*),
         count(*) FILTER (WHERE upstream_status NOT BETWEEN 200 AND 299), sum(prompt_tokens), sum(completion_tokens),
         sum(cost_nano_usd),
         coalesce(sum(subtotal_nano_usd - cache_discount_nano_usd) FILTER (WHERE cost_nano_usd > 0), 0),
         max(created_at)
  FROM added GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (account_id, day, user_id, key_id, model_id, app_name, team_id) DO UPDATE SET
    requests = kept.requests + excluded.requests,
    failed_requests = kept.failed_requests + excluded.failed_requests,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    cost_nano_usd = kept.cost_nano_usd + excluded.cost_nano_usd,
    upstream_nano_usd = kept.upstream_nano_usd + excluded.upstream_nano_usd,
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
