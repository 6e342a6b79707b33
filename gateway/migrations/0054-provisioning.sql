-- Provisioning: an organization's directory adds, changes and takes away its people and teams by SCIM.

CREATE TABLE provisioning_tokens (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  -- What a person recognizes it by.
  suffix text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);

CREATE INDEX provisioning_tokens_org ON provisioning_tokens (org_id);

-- Whom a directory knows. Whoever is deleted there keeps the row, out of sight: it bounds how many people an organization can
-- open accounts for, and who comes back is the same person.
CREATE TABLE provisioned_people (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  -- Null for whoever was never active.
  user_id text REFERENCES users (id),
  user_name text NOT NULL,
  external_id text,
  -- What the directory says; null: the user name is the address.
  email text,
  -- The address that counts, in the form that is unique.
  email_normalized text NOT NULL,
  display_name text,
  given_name text,
  family_name text,
  formatted_name text,
  is_active boolean NOT NULL,
  -- The account came into being here, so that its name and address follow the directory.
  has_opened_account boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT provisioned_people_of_org UNIQUE (org_id, id)
);

CREATE UNIQUE INDEX provisioned_people_user_name ON provisioned_people (org_id, lower(user_name)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX provisioned_people_email ON provisioned_people (org_id, email_normalized);
CREATE INDEX provisioned_people_external ON provisioned_people (org_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX provisioned_people_order ON provisioned_people (org_id, created_at, id);
CREATE INDEX provisioned_people_user ON provisioned_people (user_id) WHERE user_id IS NOT NULL;

-- A group of the directory is a team, and goes with it.
CREATE TABLE provisioned_groups (
  id text PRIMARY KEY,
  org_id text NOT NULL,
  team_id text NOT NULL UNIQUE,
  external_id text,
  -- The team came into being here, so that it goes when the group goes.
  has_opened_team boolean NOT NULL,
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  CONSTRAINT provisioned_groups_of_org UNIQUE (org_id, id),
  CONSTRAINT provisioned_groups_team FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id) ON DELETE CASCADE
);

CREATE INDEX provisioned_groups_order ON provisioned_groups (org_id, created_at, id);

-- A person may be in several groups and is in one team: that of the group which came last.
CREATE TABLE provisioned_group_members (
  org_id text NOT NULL,
  group_id text NOT NULL,
  person_id text NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (org_id, group_id, person_id),
  FOREIGN KEY (org_id, group_id) REFERENCES provisioned_groups (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, person_id) REFERENCES provisioned_people (org_id, id) ON DELETE CASCADE
);

CREATE INDEX provisioned_group_members_person ON provisioned_group_members (org_id, person_id, position);
