-- What a call used that is not counted in tokens (characters, seconds, images), so that every charge can be computed again.

ALTER TABLE generations ADD COLUMN units jsonb;
