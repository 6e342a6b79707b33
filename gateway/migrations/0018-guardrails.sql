-- Organizations filter what their keys send, and what moderation refused is kept as evidence for a while.

CREATE TABLE content_filters (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('template', 'keyword', 'regex')),
  -- The id of a template, a word or phrase, or a regular expression.
  pattern text NOT NULL CHECK (char_length(pattern) BETWEEN 1 AND 512),
  action text NOT NULL CHECK (action IN ('block', 'redact', 'flag')),
  is_enabled boolean NOT NULL,
  -- What a regular expression costs to match.
  program_size integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX content_filters_org ON content_filters (org_id, created_at, id);

-- No references: it outlives the key that was used, and is removed by its age alone.
CREATE TABLE moderation_evidence (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  account_id text NOT NULL,
  key_id text NOT NULL,
  categories text[] NOT NULL,
  -- Which reviewer refused it.
  reviewer text NOT NULL,
  operation text NOT NULL,
  model_name text NOT NULL,
  -- A keyed digest of what was sent, so that one text that is sent again and again is kept once.
  digest text NOT NULL,
  -- Opens only together with the ids of this row and its user.
  sealed_content text NOT NULL,
  is_cut boolean NOT NULL,
  occurrences integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  CONSTRAINT moderation_evidence_once UNIQUE (user_id, digest)
);

CREATE INDEX moderation_evidence_newest ON moderation_evidence (created_at, id);
CREATE INDEX moderation_evidence_age ON moderation_evidence (last_seen_at);
