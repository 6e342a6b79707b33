-- The self-check goes on where the last one ended: how far the journal was read and found sound, and what it adds up to until there.

-- At most one row. It begins with a check of everything.
CREATE TABLE ledger_mark (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- What is added up begins after this sealed month; null: with the first entry.
  base_month date,
  -- Up to here entries are read, sound and in the sums below. Nothing is entered at or below it any more.
  entry_id bigint NOT NULL,
  entries bigint NOT NULL DEFAULT 0,
  -- Records of calls that began before are looked through; null: none is.
  records_until timestamptz,
  -- When everything was checked last; null until that has come to its end.
  everything_at timestamptz
);

CREATE TABLE checked_accounts (
  account_id text PRIMARY KEY,
  credited_nano_usd bigint NOT NULL,
  spent_nano_usd bigint NOT NULL,
  taken_nano_usd bigint NOT NULL
);

CREATE TABLE checked_counters (
  counter_id bigint PRIMARY KEY,
  counted_nano_usd bigint NOT NULL
);

-- When the call of an id began; null for ids that carry no time.
CREATE FUNCTION call_time(call_id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN call_id ~ '^gen-[0-9a-f]{36}$'
    THEN to_timestamp(('x' || substr(call_id, 5, 12))::bit(48)::bigint / 1000.0) END
$$;
