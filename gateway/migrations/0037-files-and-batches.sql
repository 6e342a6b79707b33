-- Files that callers upload, and batches of calls that are run from them, line by line, resumable after any crash.

CREATE TABLE files (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  user_id text NOT NULL,
  purpose text NOT NULL,
  file_name text NOT NULL,
  bytes bigint NOT NULL,
  -- Results are no bytes of their own: they are read from the lines of this batch.
  batch_id text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX files_owner ON files (account_id, user_id, created_at);
CREATE INDEX files_expiry ON files (expires_at);

CREATE TABLE file_parts (
  file_id text NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  part_no integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (file_id, part_no)
);

CREATE TABLE batches (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  user_id text NOT NULL,
  key_id text NOT NULL,
  endpoint text NOT NULL,
  input_file_id text NOT NULL,
  status text NOT NULL,
  metadata jsonb,
  errors jsonb,
  line_count integer NOT NULL DEFAULT 0,
  output_file_id text,
  error_file_id text,
  created_at timestamptz NOT NULL,
  begun_at timestamptz,
  cancelling_at timestamptz,
  ended_at timestamptz,
  expires_at timestamptz NOT NULL,
  -- When somebody should look at it again, while its lines are being read.
  due_at timestamptz NOT NULL
);
CREATE INDEX batches_owner ON batches (account_id, user_id, created_at);
CREATE INDEX batches_open ON batches (due_at) WHERE ended_at IS NULL;

CREATE TABLE batch_lines (
  batch_id text NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
  line_no integer NOT NULL,
  custom_id text NOT NULL,
  -- Sealed, and empty once it has been answered.
  request bytea NOT NULL,
  -- waiting, running, succeeded, failed, left (cancelled or expired before its turn)
  state text NOT NULL DEFAULT 'waiting',
  -- One for all runs of the line, so that it is charged once.
  generation_id text,
  called_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  answer bytea,
  answer_bytes integer NOT NULL DEFAULT 0,
  PRIMARY KEY (batch_id, line_no)
);
CREATE INDEX batch_lines_open ON batch_lines (batch_id, due_at, line_no) WHERE state IN ('waiting', 'running');
