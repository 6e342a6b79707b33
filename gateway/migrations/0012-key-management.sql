-- Keys that belong to a team, and users and organizations that an operator finds by the beginning of a name.

-- Whose key it is beyond its holder: it goes when the team goes. Null for a person's own and for the organization's.
ALTER TABLE api_keys ADD COLUMN team_id text REFERENCES teams (id) ON DELETE SET NULL;

CREATE INDEX api_keys_team ON api_keys (team_id) WHERE team_id IS NOT NULL;

-- For searches by the first letters, whatever the database's collation is.
CREATE INDEX users_email_start ON users (email_normalized text_pattern_ops);
CREATE INDEX users_name_start ON users (lower(name) text_pattern_ops);
CREATE INDEX users_newest ON users (created_at, id);
CREATE INDEX organizations_name_start ON organizations (lower(name) text_pattern_ops);
CREATE INDEX organizations_newest ON organizations (created_at, id);
