-- The regular check of own upstreams begins with the organization that was last served longest ago, which is looked up here.

CREATE INDEX byok_keys_turn ON byok_keys (org_id, next_check_at);
