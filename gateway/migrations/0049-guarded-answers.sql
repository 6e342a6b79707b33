-- Answers are guarded too: content filters may look at them, and organizations may have services of others asked.

-- Filters that stand look at what is sent, as before.
ALTER TABLE content_filters
  ADD COLUMN applies_to text NOT NULL DEFAULT 'input' CHECK (applies_to IN ('input', 'output', 'both'));

CREATE TABLE guards (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  form text NOT NULL CHECK (form IN ('webhook', 'presidio', 'lakera', 'moderations')),
  -- Sealed for its row, as the key is.
  url text NOT NULL,
  host text NOT NULL,
  api_key text,
  stages text[] NOT NULL CHECK (cardinality(stages) > 0),
  action text NOT NULL CHECK (action IN ('block', 'redact', 'flag')),
  timeout_ms integer NOT NULL CHECK (timeout_ms BETWEEN 100 AND 10000),
  is_open_on_failure boolean NOT NULL,
  is_enabled boolean NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE INDEX guards_org ON guards (org_id);

-- What guards have decided, never what they were shown. Kept for a month.
CREATE TABLE guard_decisions (
  org_id text NOT NULL,
  guard_id text NOT NULL,
  guard_name text NOT NULL,
  key_id text NOT NULL,
  stage text NOT NULL,
  outcome text NOT NULL,
  reason text,
  duration_ms integer NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE INDEX guard_decisions_org ON guard_decisions (org_id, created_at DESC);
CREATE INDEX guard_decisions_age ON guard_decisions (created_at);
