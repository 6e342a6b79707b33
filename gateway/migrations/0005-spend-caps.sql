-- Caps on spending beside the balance: one counter for each cap and window, leased in slices as accounts are, and the settings that make caps.

-- What counts against a cap in one window: what was spent and what processes have leased. The limit is not here: it is
-- the caller's, and may change while the window runs.
CREATE TABLE spend_counters (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Scope, window, its start and since when the cap stands, as one text: whoever opens it twice finds it.
  name text NOT NULL UNIQUE,
  scope text NOT NULL CHECK (scope IN ('platform', 'org', 'team', 'member', 'user', 'key', 'account')),
  scope_id text NOT NULL,
  time_window text NOT NULL CHECK (time_window IN ('minute', 'hour', 'day', 'week', 'month', 'never')),
  window_start timestamptz NOT NULL,
  -- Null when the window never ends.
  window_end timestamptz,
  -- What had been spent in the window before the counter was opened. The rest of `spent` is entries that name it.
  seeded_nano_usd bigint NOT NULL CHECK (seeded_nano_usd >= 0),
  spent_nano_usd bigint NOT NULL,
  leased_nano_usd bigint NOT NULL DEFAULT 0 CHECK (leased_nano_usd >= 0),
  CONSTRAINT spend_counters_window CHECK ((time_window = 'never') = (window_end IS NULL)),
  CONSTRAINT spend_counters_spent CHECK (spent_nano_usd >= seeded_nano_usd)
) WITH (fillfactor = 60);

CREATE INDEX spend_counters_ended ON spend_counters (window_end) WHERE window_end IS NOT NULL;

-- The part of a counter's room that a process may give away from memory. Whoever changes a slice holds its counter's
-- lock first, and an account's lock before that of any counter.
CREATE TABLE counter_slices (
  counter_id bigint NOT NULL REFERENCES spend_counters (id),
  process_id text NOT NULL REFERENCES processes (id),
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd >= 0),
  PRIMARY KEY (counter_id, process_id)
) WITH (fillfactor = 60);

CREATE INDEX counter_slices_process ON counter_slices (process_id);

-- The counters that a charge was added to: what they are recomputed from.
ALTER TABLE ledger_entries ADD COLUMN counter_ids bigint[];

-- A key's limit counts from the moment it is set: a counter that stood still while there was no limit is not used again.
ALTER TABLE api_keys ADD COLUMN spend_limit_since timestamptz NOT NULL DEFAULT now();

CREATE FUNCTION note_spend_limit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.spend_limit_since := now();
  RETURN NEW;
END
$$;

CREATE TRIGGER api_keys_spend_limit_since BEFORE UPDATE OF spend_limit_nano_usd, spend_limit_period ON api_keys
  FOR EACH ROW WHEN (
    (OLD.spend_limit_nano_usd IS NULL AND NEW.spend_limit_nano_usd IS NOT NULL)
    OR OLD.spend_limit_period IS DISTINCT FROM NEW.spend_limit_period
  ) EXECUTE FUNCTION note_spend_limit();

-- A person's own breaker, over all their keys. Null takes the platform's default.
CREATE TABLE user_breakers (
  user_id text PRIMARY KEY REFERENCES users (id),
  is_enabled boolean,
  minute_nano_usd bigint CHECK (minute_nano_usd > 0),
  hour_nano_usd bigint CHECK (hour_nano_usd > 0),
  enabled_at timestamptz NOT NULL DEFAULT now()
);

-- The emergency brake over everything: one row. Null means that a window is not watched.
CREATE TABLE spend_brake (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  is_enabled boolean NOT NULL DEFAULT false,
  minute_nano_usd bigint CHECK (minute_nano_usd >= 0),
  hour_nano_usd bigint CHECK (hour_nano_usd >= 0),
  enabled_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO spend_brake (only_row) VALUES (true);
