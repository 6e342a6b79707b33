-- How routes did over the last day, in quarters of an hour: for people who look, after restarts too.

CREATE TABLE route_history (
  provider_name text NOT NULL,
  upstream_model text NOT NULL,
  bucket_at timestamptz NOT NULL,
  calls integer NOT NULL,
  failures integer NOT NULL,
  -- Of the calls that were measured, which are those that were answered.
  latency_ms_sum double precision NOT NULL,
  latency_count integer NOT NULL,
  tokens_per_second_sum double precision NOT NULL,
  speed_count integer NOT NULL,
  PRIMARY KEY (provider_name, upstream_model, bucket_at)
);

CREATE INDEX route_history_age ON route_history (bucket_at);
