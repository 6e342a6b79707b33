-- Feeds: the records of calls, sent in batches to where an organization or the operator wants them.

CREATE TABLE call_feeds (
  id text PRIMARY KEY,
  owner_kind text NOT NULL CHECK (owner_kind IN ('org', 'operator')),
  -- An organization, whose calls are sent; empty for the operator, who gets those of all accounts.
  owner_id text NOT NULL,
  name text NOT NULL,
  form text NOT NULL CHECK (form IN ('otlp', 'http', 's3', 'file')),
  -- What of the address may be shown.
  host text NOT NULL,
  -- The address, headers and keys, sealed for their row.
  settings text NOT NULL,
  is_enabled boolean NOT NULL,
  created_at timestamptz NOT NULL,
  -- Also how a process claims the feed: until then nobody else sends for it.
  next_attempt_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  failure text,
  delivered_at timestamptz,
  delivered_count bigint NOT NULL DEFAULT 0,
  lost_count bigint NOT NULL DEFAULT 0
);

CREATE INDEX call_feeds_owner ON call_feeds (owner_kind, owner_id);

-- What a feed has still to send. Ids of records begin with their time, so that the oldest come first. A row goes when its
-- record was taken: a cursor would pass over records of long calls, which are written after younger ones.
CREATE TABLE call_feed_items (
  feed_id text NOT NULL,
  generation_id text NOT NULL,
  called_at timestamptz NOT NULL,
  PRIMARY KEY (feed_id, generation_id)
);

-- Records are handed to feeds where they are added to the sums: once each, in the same transaction, after the caller has
-- been answered. Nothing here can fail for what a feed is, and without feeds it is one look at an empty table.
ALTER FUNCTION roll_up(text[], timestamptz[]) RENAME TO roll_up_sums;

CREATE FUNCTION roll_up(ids text[], times timestamptz[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM roll_up_sums(ids, times);
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
