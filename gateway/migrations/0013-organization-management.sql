-- Organizations manage themselves: who was invited, which models they may call, what they have set, and a log of every change.

ALTER TABLE organizations
  -- How many members the plan has room for.
  ADD COLUMN seats integer NOT NULL DEFAULT 1000 CHECK (seats >= 1),
  ADD COLUMN settings jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(settings) = 'object'),
  -- An empty list allows every model, in each of the three layers.
  ADD COLUMN allowed_models text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allowed_models) <= 200),
  -- Who founded it themselves. Null where the operator did.
  ADD COLUMN founder_user_id text REFERENCES users (id);

CREATE INDEX organizations_founder ON organizations (founder_user_id) WHERE founder_user_id IS NOT NULL;

ALTER TABLE teams
  ADD COLUMN allowed_models text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allowed_models) <= 200);

ALTER TABLE org_members
  ADD COLUMN allowed_models text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allowed_models) <= 200);

-- A mailed link. Only the hash of its token is kept, and it is good for one person, once.
CREATE TABLE org_invitations (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  email text NOT NULL,
  email_normalized text NOT NULL,
  role text NOT NULL CHECK (role IN ('org_admin', 'billing_viewer', 'team_admin', 'member')),
  team_id text,
  monthly_budget_nano_usd bigint CHECK (monthly_budget_nano_usd >= 0),
  invited_by_user_id text REFERENCES users (id),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Null while it is open; an open one may have expired.
  ended_at timestamptz,
  outcome text CHECK (outcome IN ('accepted', 'withdrawn', 'replaced')),
  CONSTRAINT org_invitations_ended CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  -- An invitation to a team that is deleted is one to the organization.
  CONSTRAINT org_invitations_team FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
    ON DELETE SET NULL (team_id)
);

CREATE UNIQUE INDEX org_invitations_one_open ON org_invitations (org_id, email_normalized) WHERE ended_at IS NULL;
-- For what was sent lately, to whom and by whom.
CREATE INDEX org_invitations_newest ON org_invitations (created_at);
-- For the teams that are deleted.
CREATE INDEX org_invitations_team ON org_invitations (team_id) WHERE team_id IS NOT NULL;

CREATE TRIGGER org_invitations_end_once BEFORE UPDATE ON org_invitations
  FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL AND NEW.ended_at IS DISTINCT FROM OLD.ended_at)
  EXECUTE FUNCTION refuse_change('an invitation ends exactly once');

CREATE TABLE org_audit_log (
  -- The order in which entries are read.
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  org_id text NOT NULL REFERENCES organizations (id),
  action text NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'key', 'operator', 'system')),
  actor_user_id text,
  actor_key_id text,
  target_type text NOT NULL,
  target_id text NOT NULL,
  before jsonb,
  after jsonb,
  created_at timestamptz NOT NULL
);

CREATE INDEX org_audit_log_org ON org_audit_log (org_id, position);
CREATE INDEX org_audit_log_action ON org_audit_log (org_id, action, position);

CREATE TRIGGER org_audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON org_audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('entries are only ever added');

-- When a thing that happens often was last written to the log.
CREATE TABLE org_audit_marks (
  org_id text NOT NULL REFERENCES organizations (id),
  subject text NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, subject)
);
