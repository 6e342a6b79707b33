-- Lines of batches that are handed to a provider's own batch interface, at its lower price. A line that is handed over is
-- `running` with its next turn far in the future: a build that does not know of this leaves it alone.

CREATE TABLE handed_batches (
  id text PRIMARY KEY,
  batch_id text NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
  provider_name text NOT NULL,
  upstream_model text NOT NULL,
  -- What every line of it asks, at the provider.
  path text NOT NULL,
  -- open (lines are added), sending, sent, over, refused (the provider took it not: its lines are run here)
  state text NOT NULL DEFAULT 'open',
  -- The provider's name for it, once it has one.
  upstream_id text,
  line_count integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  -- How often it was asked about, or tried in vain, in this state.
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  -- When somebody should look at it; who does moves it on.
  due_at timestamptz NOT NULL
);
CREATE INDEX handed_batches_due ON handed_batches (due_at) WHERE state IN ('open', 'sending', 'sent');
CREATE INDEX handed_batches_of ON handed_batches (batch_id);

-- Without a row of its own once the line has its result.
CREATE TABLE handed_lines (
  handed_id text NOT NULL REFERENCES handed_batches (id) ON DELETE CASCADE,
  batch_id text NOT NULL,
  line_no integer NOT NULL,
  generation_id text NOT NULL,
  model_id text NOT NULL,
  -- What the provider gets, sealed.
  body bytea NOT NULL,
  held_nano_usd bigint NOT NULL,
  -- Those of the day when it was handed over.
  prices jsonb NOT NULL,
  PRIMARY KEY (handed_id, line_no)
);
CREATE INDEX handed_lines_batch ON handed_lines (batch_id);
