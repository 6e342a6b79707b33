-- Organizations bring their own upstreams: an address, a key sealed for its row, and the models it is to carry.

CREATE TABLE byok_keys (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  base_url text NOT NULL,
  -- Opens only together with the ids of this row and its organization.
  sealed_api_key text NOT NULL,
  key_mask text NOT NULL,
  protocol text NOT NULL CHECK (protocol IN ('openai', 'anthropic')),
  fallback_mode text NOT NULL CHECK (fallback_mode IN ('seamless', 'strict')),
  is_enabled boolean NOT NULL DEFAULT true,
  -- Whose calls it carries; empty means the whole organization. A list and no references: a key that is revoked stays
  -- in it, because a scope that shrank to nothing would suddenly be everybody.
  scoped_key_ids text[] NOT NULL DEFAULT '{}' CHECK (cardinality(scoped_key_ids) <= 1000),
  health_status text NOT NULL DEFAULT 'unknown' CHECK (health_status IN ('unknown', 'healthy', 'unhealthy')),
  checked_at timestamptz,
  last_error text,
  next_check_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT byok_keys_of_org UNIQUE (org_id, id)
);

CREATE INDEX byok_keys_due ON byok_keys (next_check_at) WHERE is_enabled;

CREATE TABLE byok_mappings (
  org_id text NOT NULL,
  byok_key_id text NOT NULL,
  model_id text NOT NULL,
  upstream_model text NOT NULL,
  is_enabled boolean NOT NULL,
  position integer NOT NULL,
  PRIMARY KEY (byok_key_id, model_id),
  -- Names the organization too, so that a mapping cannot hang on another one's key.
  FOREIGN KEY (org_id, byok_key_id) REFERENCES byok_keys (org_id, id) ON DELETE CASCADE
);

CREATE INDEX byok_mappings_org ON byok_mappings (org_id);
