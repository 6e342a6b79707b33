-- Free models have a quota for each user: what a call took of it is on its record, and the day's sum survives a restart.

-- Whether calls beyond the quota of a free model go on at the paid price.
ALTER TABLE api_keys ADD COLUMN free_fallback boolean NOT NULL DEFAULT true;

-- Units of the free quota that the call took; zero where the caller paid.
ALTER TABLE generations ADD COLUMN free_units integer NOT NULL DEFAULT 0 CHECK (free_units >= 0);

-- Only the current day is ever read. Days that are over are removed.
CREATE TABLE free_usage (
  user_id text NOT NULL,
  day date NOT NULL,
  model_id text NOT NULL,
  units bigint NOT NULL CHECK (units > 0),
  PRIMARY KEY (user_id, day, model_id)
) WITH (fillfactor = 70);

CREATE INDEX free_usage_day ON free_usage (day);

-- Sees only records that were really added, so one that is written again counts once. It is a trigger of its own and
-- runs before the one that makes the sums (triggers run in the order of their names), in the order of the keys, so that
-- two batches cannot deadlock.
CREATE FUNCTION count_free_generations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO free_usage AS kept (user_id, day, model_id, units)
  SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, model_id, sum(free_units)
  FROM added WHERE free_units > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (user_id, day, model_id) DO UPDATE SET units = kept.units + excluded.units;
  RETURN NULL;
END
$$;

CREATE TRIGGER generations_count_free AFTER INSERT ON generations
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_free_generations();
