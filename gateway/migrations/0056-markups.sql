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

-- As it was, and the markups of the records. Their rows of the sums were made and locked, in order, just before.
CREATE OR REPLACE FUNCTION roll_up(ids text[], times timestamptz[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM roll_up_sums(ids, times);
  UPDATE usage_daily d SET markup_nano_usd = d.markup_nano_usd + s.markup
  FROM (
    SELECT g.account_id, (g.created_at AT TIME ZONE 'UTC')::date AS day, g.user_id, g.key_id,
           left(g.model_id, 200) AS model_id, left(coalesce(g.app_name, ''), 128) AS app_name,
           coalesce(g.team_id, '') AS team_id, sum(g.markup_nano_usd) AS markup
    FROM unnest(ids, times) AS t (id, called_at)
    CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g
    WHERE g.markup_nano_usd IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) s
  WHERE d.account_id = s.account_id AND d.day = s.day AND d.user_id = s.user_id AND d.key_id = s.key_id
    AND d.model_id = s.model_id AND d.app_name = s.app_name AND d.team_id = s.team_id;
  IF EXISTS (SELECT FROM call_feeds WHERE is_enabled) THEN
    INSERT INTO call_feed_items (feed_id, generation_id, called_at)
    SELECT f.id, g.id, g.created_at
    FROM unnest(ids, times) AS t (id, called_at)
    CROSS JOIN LATERAL (SELECT * FROM generations WHERE id = t.id AND created_at = t.called_at OFFSET 0) g
    JOIN call_feeds f ON f.is_enabled AND (f.owner_kind = 'operator' OR f.owner_id = g.account_id)
    ON CONFLICT DO NOTHING;
  END IF;
END
$$;
