-- Batches whose lines come with the request that makes them, and accounts taking turns. Their status is `running` instead
-- of `in_progress`: a build that does not know them leaves their lines alone.

-- file: lines from an uploaded file. messages: lines of the Messages dialect.
ALTER TABLE batches ADD COLUMN form text NOT NULL DEFAULT 'file';

CREATE INDEX batches_account_open ON batches (account_id) WHERE ended_at IS NULL;
