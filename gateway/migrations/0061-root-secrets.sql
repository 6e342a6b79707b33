-- The root secrets that something may be sealed with, who of the processes was started with which, and how far what is sealed has been sealed anew.

CREATE TABLE root_secrets (
  -- Derived from the secret, and of no use for finding it.
  id text PRIMARY KEY,
  -- The secret that hashes are made with, sealed with this one.
  hashing text NOT NULL,
  announced_at timestamptz NOT NULL DEFAULT now(),
  -- Null: nothing was sealed with it yet. The newest of them is in use.
  in_use_since timestamptz
);

CREATE TABLE secret_holders (
  process_id text PRIMARY KEY REFERENCES processes (id) ON DELETE CASCADE,
  -- What it was started with as TOLLGATE_SECRET.
  started_with text NOT NULL,
  -- What it has sealed with for a while.
  seals_with text NOT NULL
);

CREATE TABLE sealed_anew (
  -- Table and column.
  name text PRIMARY KEY,
  -- The key of the row that was looked at last; null: none yet.
  last_key text[],
  is_done boolean NOT NULL DEFAULT false,
  seen bigint NOT NULL DEFAULT 0,
  sealed bigint NOT NULL DEFAULT 0,
  -- What no known secret opens.
  unreadable bigint NOT NULL DEFAULT 0
);

COMMENT ON TABLE root_secrets IS
  'root-secret: The root secrets that something may be sealed with, by ids that are derived from them, and the one that is about to be used.';
COMMENT ON TABLE secret_holders IS
  'root-secret: Which root secret each running gateway was started with, and which it seals with. It goes with its process.';
COMMENT ON TABLE sealed_anew IS
  'root-secret: How far what a former secret has sealed was sealed anew; empty while no secret is replaced.';
