-- Money: accounts, the append-only journal they are a cache of, the slices that processes lease, and the record of each call.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END
$$;

-- What is available is balance + credit line - leased - held, and it can never be below zero: this one constraint is
-- what makes overspending impossible whatever the code above it does.
CREATE TABLE accounts (
  id text PRIMARY KEY,
  kind text NOT NULL DEFAULT 'prepaid' CHECK (kind IN ('prepaid', 'monthly', 'system')),
  balance_nano_usd bigint NOT NULL DEFAULT 0,
  credit_line_nano_usd bigint NOT NULL DEFAULT 0,
  leased_nano_usd bigint NOT NULL DEFAULT 0,
  held_nano_usd bigint NOT NULL DEFAULT 0,
  total_credited_nano_usd bigint NOT NULL DEFAULT 0,
  total_spent_nano_usd bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT accounts_credit_line CHECK (credit_line_nano_usd >= 0 AND (kind = 'monthly' OR credit_line_nano_usd = 0)),
  CONSTRAINT accounts_balance CHECK (balance_nano_usd >= -credit_line_nano_usd),
  CONSTRAINT accounts_leased CHECK (leased_nano_usd >= 0),
  CONSTRAINT accounts_held CHECK (held_nano_usd >= 0),
  CONSTRAINT accounts_available CHECK (
    balance_nano_usd + credit_line_nano_usd - leased_nano_usd - held_nano_usd >= 0
  ),
  CONSTRAINT accounts_totals CHECK (
    total_credited_nano_usd >= 0 AND total_spent_nano_usd >= 0
    AND balance_nano_usd = total_credited_nano_usd - total_spent_nano_usd
  )
) WITH (fillfactor = 60);

CREATE TRIGGER accounts_are_kept BEFORE DELETE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('an account outlives its owner');

-- The other side of every entry. Their balances are read from the entries: a cached one would be a row that every
-- settlement of every process queues for.
INSERT INTO accounts (id, kind) VALUES ('system-funding', 'system'), ('system-revenue', 'system');

CREATE TABLE price_lists (
  id text PRIMARY KEY,
  list jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Double entry by construction: a row moves an amount from one account to another, so any set of rows sums to zero.
-- There are no foreign keys: a charge is inserted from its locked account, and checking the system side would have
-- every process share-lock the same row for every call.
CREATE TABLE ledger_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  debit_account_id text NOT NULL,
  credit_account_id text NOT NULL,
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd >= 0),
  kind text NOT NULL CHECK (kind IN ('credit', 'charge')),
  generation_id text,
  reference text,
  note text,
  price_list_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ledger_entries_sides CHECK (debit_account_id <> credit_account_id),
  CONSTRAINT ledger_entries_charge CHECK ((kind = 'charge') = (generation_id IS NOT NULL)),
  CONSTRAINT ledger_entries_credit CHECK ((kind = 'credit') = (reference IS NOT NULL))
);

CREATE UNIQUE INDEX ledger_entries_one_charge ON ledger_entries (generation_id) WHERE kind = 'charge';
CREATE UNIQUE INDEX ledger_entries_one_credit ON ledger_entries (kind, reference) WHERE reference IS NOT NULL;

CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('entries are only ever added');

-- A process that serves calls. It is alive while it holds the advisory lock of its id and keeps renewing its row.
CREATE TABLE processes (
  id text PRIMARY KEY,
  started_at timestamptz NOT NULL DEFAULT now(),
  renewed_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- The part of an account that a process may spend from memory. Whoever changes a slice holds its account's lock first.
CREATE TABLE account_slices (
  account_id text NOT NULL REFERENCES accounts (id),
  process_id text NOT NULL REFERENCES processes (id),
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd >= 0),
  PRIMARY KEY (account_id, process_id)
) WITH (fillfactor = 60);

CREATE INDEX account_slices_process ON account_slices (process_id);

-- Holds that outlive a call and a process, such as a video job's.
CREATE TABLE reservations (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd >= 0),
  state text NOT NULL DEFAULT 'held' CHECK (state IN ('held', 'settled', 'released', 'expired')),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  CONSTRAINT reservations_ended CHECK ((state = 'held') = (ended_at IS NULL))
);

CREATE INDEX reservations_expiring ON reservations (expires_at) WHERE state = 'held';
CREATE INDEX reservations_account ON reservations (account_id) WHERE state = 'held';

CREATE TRIGGER reservations_end_once BEFORE UPDATE ON reservations
  FOR EACH ROW WHEN (OLD.state <> 'held') EXECUTE FUNCTION refuse_change('a reservation ends exactly once');

CREATE TABLE generations (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  user_id text NOT NULL,
  key_id text NOT NULL,
  operation text NOT NULL,
  model_id text NOT NULL,
  provider_name text NOT NULL,
  upstream_model text NOT NULL,
  app_name text,
  finish_reason text,
  upstream_status integer NOT NULL,
  is_stream boolean NOT NULL,
  is_failover boolean NOT NULL,
  created_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  first_token_ms integer,
  prompt_tokens bigint NOT NULL CHECK (prompt_tokens >= 0),
  completion_tokens bigint NOT NULL CHECK (completion_tokens >= 0),
  cached_tokens bigint NOT NULL CHECK (cached_tokens >= 0),
  cache_write_tokens bigint NOT NULL CHECK (cache_write_tokens >= 0),
  reasoning_tokens bigint NOT NULL CHECK (reasoning_tokens >= 0),
  prompt_audio_tokens bigint NOT NULL CHECK (prompt_audio_tokens >= 0),
  completion_image_tokens bigint NOT NULL CHECK (completion_image_tokens >= 0),
  subtotal_nano_usd bigint NOT NULL CHECK (subtotal_nano_usd >= 0),
  cache_discount_nano_usd bigint NOT NULL,
  -- What was charged: always the amount of the entry with this generation id.
  cost_nano_usd bigint NOT NULL CHECK (cost_nano_usd >= 0),
  absorbed_nano_usd bigint NOT NULL CHECK (absorbed_nano_usd >= 0),
  absorbed_reason text,
  attempts integer NOT NULL
);

CREATE INDEX generations_account ON generations (account_id, created_at);
CREATE INDEX generations_key ON generations (key_id, created_at);
