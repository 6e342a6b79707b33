-- Calls that were answered with an error leave a trace of what the client was told, without what it had sent; sampled when there are many.

CREATE TABLE refused_calls (
  id bigint GENERATED ALWAYS AS IDENTITY,
  created_at timestamptz NOT NULL,
  request_id text NOT NULL,
  -- Null for a call that failed before it had a record.
  generation_id text,
  -- Null for strangers.
  account_id text,
  user_id text,
  key_id text,
  operation text NOT NULL,
  -- As the client named it.
  model text,
  app_name text,
  status integer NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  duration_ms integer NOT NULL,
  -- How many refusals of the same account this row stands for, itself included.
  stands_for integer NOT NULL CHECK (stands_for > 0),
  PRIMARY KEY (id)
);

CREATE INDEX refused_calls_time ON refused_calls (created_at, id);
CREATE INDEX refused_calls_account ON refused_calls (account_id, created_at);
CREATE INDEX refused_calls_generation ON refused_calls (generation_id) WHERE generation_id IS NOT NULL;

-- What came in and went back in a span of days, of all accounts: little among the charges.
CREATE INDEX ledger_entries_other ON ledger_entries (created_at) WHERE kind <> 'charge';
