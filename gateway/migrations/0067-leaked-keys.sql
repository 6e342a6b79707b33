-- A key that was seen in public is marked with when and where, and its holder may want it switched off at that moment.

ALTER TABLE api_keys ADD COLUMN leaked_at timestamptz;
-- As whoever reported it says; null where they do not.
ALTER TABLE api_keys ADD COLUMN leak_place text;
ALTER TABLE api_keys ADD COLUMN disable_when_leaked boolean NOT NULL DEFAULT false;
