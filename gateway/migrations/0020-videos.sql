-- Video jobs outlive the call that ordered them and the process that took it, so everything about one is in its row.

CREATE TABLE video_jobs (
  id text PRIMARY KEY CHECK (id LIKE 'vjob\_%'),
  -- The record that the job leaves, and the reservation that holds its money.
  generation_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  user_id text NOT NULL,
  key_id text NOT NULL,
  app_name text,
  model_id text NOT NULL,
  provider_name text NOT NULL,
  upstream_model text NOT NULL,
  byok_key_id text,
  upstream_job_id text,
  task text NOT NULL,
  duration_ms integer NOT NULL CHECK (duration_ms > 0),
  input_ms integer NOT NULL DEFAULT 0 CHECK (input_ms >= 0),
  size text NOT NULL,
  -- Nano-USD per million seconds, and per million jobs: the price as it was when the job was ordered.
  second_price bigint NOT NULL CHECK (second_price >= 0),
  request_price bigint NOT NULL CHECK (request_price >= 0),
  held_nano_usd bigint NOT NULL CHECK (held_nano_usd >= 0),
  callback_url text,
  -- submitting: nobody knows yet whether an upstream has it. ending: decided, the money is not moved yet.
  phase text NOT NULL CHECK (phase IN ('submitting', 'open', 'ending', 'ended')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed', 'failed')),
  outcome text CHECK (outcome IN ('completed', 'failed')),
  progress smallint NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  output_count smallint NOT NULL DEFAULT 1,
  error_code text,
  error_message text,
  cost_nano_usd bigint CHECK (cost_nano_usd BETWEEN 0 AND held_nano_usd),
  misses smallint NOT NULL DEFAULT 0,
  upstream_status integer NOT NULL DEFAULT 0,
  is_failover boolean NOT NULL DEFAULT false,
  attempts jsonb NOT NULL DEFAULT '[]',
  -- A keyed hash that recognizes the job in an upstream's list, as long as that may be needed.
  fingerprint text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  -- When the upstream was last asked; when to look next; and until when a process is at it.
  checked_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  leased_until timestamptz NOT NULL DEFAULT '-infinity',
  CONSTRAINT video_jobs_taken CHECK (phase <> 'open' OR upstream_job_id IS NOT NULL),
  CONSTRAINT video_jobs_decided CHECK ((phase IN ('ending', 'ended')) = (outcome IS NOT NULL)),
  CONSTRAINT video_jobs_ended CHECK (
    (phase = 'ended') = (cost_nano_usd IS NOT NULL) AND (phase = 'ended') = (ended_at IS NOT NULL)
    AND (phase = 'ended') = (status IN ('completed', 'failed')) AND (phase <> 'ended' OR status = outcome)
  )
);

CREATE INDEX video_jobs_upstream ON video_jobs (provider_name, upstream_job_id)
  WHERE upstream_job_id IS NOT NULL;
CREATE INDEX video_jobs_due ON video_jobs (due_at) WHERE phase <> 'ended';
CREATE INDEX video_jobs_of_account ON video_jobs (account_id, created_at DESC, id DESC);
CREATE INDEX video_jobs_unanswered ON video_jobs (provider_name, fingerprint) WHERE phase = 'submitting';

-- One for each job, made in the transaction that ends it: so its owner is called about every end, and about each once.
CREATE TABLE video_callbacks (
  job_id text PRIMARY KEY REFERENCES video_jobs (id),
  url text,
  host text NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'given_up')),
  attempts smallint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT video_callbacks_url CHECK ((state = 'waiting') = (url IS NOT NULL))
);

CREATE INDEX video_callbacks_due ON video_callbacks (next_attempt_at) WHERE state = 'waiting';

CREATE TRIGGER video_jobs_end_once BEFORE UPDATE ON video_jobs
  FOR EACH ROW WHEN (OLD.phase = 'ended') EXECUTE FUNCTION refuse_change('a video job ends exactly once');
