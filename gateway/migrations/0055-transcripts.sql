-- Transcripts: what the keys of an organization sent and got, for those organizations that have asked to keep it.

CREATE TABLE transcripts (
  org_id text NOT NULL REFERENCES organizations (id),
  -- That of the generation.
  id text NOT NULL,
  user_id text NOT NULL,
  key_id text NOT NULL,
  model_id text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Compressed, and sealed for its row.
  content bytea NOT NULL,
  PRIMARY KEY (org_id, id)
);

CREATE INDEX transcripts_expiring ON transcripts (expires_at);
CREATE INDEX transcripts_of_user ON transcripts (org_id, user_id);

-- How much an organization has kept; there is a limit to it.
CREATE TABLE transcript_totals (
  org_id text PRIMARY KEY REFERENCES organizations (id),
  bytes bigint NOT NULL
);
