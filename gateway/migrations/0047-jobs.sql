-- Calls that are answered later: batches of one line (form `job`), and the calls to their owners.

CREATE TABLE job_callbacks (
  job_id text PRIMARY KEY REFERENCES batches (id) ON DELETE CASCADE,
  url text,
  host text NOT NULL,
  -- Held until the job is over.
  state text NOT NULL CHECK (state IN ('held', 'waiting', 'sent', 'given_up')),
  attempts smallint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT job_callbacks_url CHECK ((state IN ('held', 'waiting')) = (url IS NOT NULL))
);

CREATE INDEX job_callbacks_due ON job_callbacks (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX batches_jobs_ended ON batches (ended_at) WHERE form = 'job' AND ended_at IS NOT NULL;
