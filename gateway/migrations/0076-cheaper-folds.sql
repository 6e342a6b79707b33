-- A fold searches the records it adds up all together, and an entry of the journal that is in time is let in without a function of its own.

-- Whoever enters charges locks the journal before its partitions: with all of them locked at once nobody waits in a circle.
LOCK TABLE journal_entries IN SHARE ROW EXCLUSIVE MODE;

-- The function looks at the same times and decides; an ordinary charge is known by its time and its id alone.
CREATE FUNCTION watch_late_entries(in_table regclass, trigger_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT ON %s FOR EACH ROW WHEN (
      NEW.created_at < clock_timestamp() - interval ''1 hour''
      OR NEW.kind = ''charge'' AND (length(NEW.generation_id) <> 40 OR NEW.generation_id COLLATE "C" <
        ''gen-0'' || to_hex((date_part(''epoch'', clock_timestamp()) * 1000)::bigint - 2678400000))
    ) EXECUTE FUNCTION refuse_late_entry()', trigger_name, in_table);
END
$$;

SELECT watch_late_entries(tgrelid, tgname) FROM pg_trigger
WHERE tgfoid = 'refuse_late_entry'::regproc AND NOT tgisinternal ORDER BY tgrelid;

-- As it was, for the partitions to come.
CREATE OR REPLACE FUNCTION guard_journal_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER journal_append_only BEFORE UPDATE OR TRUNCATE ON %I
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change(''entries are only ever added'')', name);
  EXECUTE format('CREATE TRIGGER journal_kept BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_unarchived()', name);
  PERFORM watch_late_entries(name::regclass, 'journal_late');
END
$$;

-- The records with these ids and times, added up by what the sums are kept by. The ids of a fold lie side by side in the
-- index, so they are searched for together, between the first and the last time; that each has its own time is looked at
-- afterwards. Whatever statistics say of a month that was empty a moment ago, it is never read as a whole, and nothing is
-- sorted: every statement here has a plan without what is switched off.
CREATE FUNCTION usage_sums(ids text[], times timestamptz[]) RETURNS usage_sum[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_sort = off AS $$
DECLARE
  earliest timestamptz;
  latest timestamptz;
BEGIN
  SELECT min(called_at), max(called_at) FROM unnest(times) AS t (called_at) INTO earliest, latest;
  RETURN ARRAY(
    SELECT ROW (s.account_id, (s.hour AT TIME ZONE 'UTC')::date, s.user_id, s.key_id, left(s.model_id, 200),
                left(s.app_name, 128), s.team_id, s.hour, s.requests, s.failed_requests, s.prompt_tokens,
                s.completion_tokens, s.cost_nano_usd, s.upstream_nano_usd, s.last_at, s.absorbed_nano_usd,
                s.free_units, s.markup_nano_usd)::usage_sum
    FROM (
      SELECT g.account_id, g.user_id, g.key_id, g.model_id, coalesce(g.app_name, '') AS app_name,
             coalesce(g.team_id, '') AS team_id, date_trunc('hour', g.created_at, 'UTC') AS hour,
             count(*) AS requests, count(*) FILTER (WHERE g.upstream_status NOT BETWEEN 200 AND 299) AS failed_requests,
             sum(g.prompt_tokens) AS prompt_tokens, sum(g.completion_tokens) AS completion_tokens,
             sum(g.cost_nano_usd) AS cost_nano_usd,
             coalesce(sum(g.subtotal_nano_usd - g.cache_discount_nano_usd) FILTER (WHERE g.cost_nano_usd > 0), 0)
               AS upstream_nano_usd,
             max(g.created_at) AS last_at, sum(g.absorbed_nano_usd) AS absorbed_nano_usd,
             sum(g.free_units) AS free_units, coalesce(sum(g.markup_nano_usd), 0) AS markup_nano_usd
      FROM (
        SELECT * FROM generations WHERE id = ANY (ids) AND created_at BETWEEN earliest AND latest OFFSET 0
      ) g
      JOIN unnest(ids, times) AS t (id, called_at) ON t.id = g.id AND t.called_at = g.created_at
      GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) s
  );
END
$$;

-- As it was, with those sums.
CREATE OR REPLACE FUNCTION roll_up_sums(ids text[], times timestamptz[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  none CONSTANT bigint[] := array_fill(0::bigint, ARRAY[24]);
  sums usage_sum[];
  hours timestamptz[];
  at_hour timestamptz;
  place integer;
BEGIN
  sums := usage_sums(ids, times);

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

-- As it was, but what was taken is gone through once for each of the three results.
CREATE OR REPLACE FUNCTION fold_batches(of_process text, only_batch bigint, batches_max integer)
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
  SELECT (SELECT count(*) FROM taken), c.ids, c.times, a.ids, a.amounts, a.parts, n.ids, n.amounts, n.parts
  FROM (SELECT array_agg(id) AS ids, array_agg(called_at) AS times FROM calls) c
  CROSS JOIN (SELECT array_agg(account_id) AS ids, array_agg(amount) AS amounts, array_agg(part) AS parts FROM charged) a
  CROSS JOIN (SELECT array_agg(id) AS ids, array_agg(amount) AS amounts, array_agg(part) AS parts FROM counted) n
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
