-- What was handed to a provider's batch interface says for which model and at which prices, so that its owner can be told.

-- Those of its first line. Null in rows of a build that does not know of this.
ALTER TABLE handed_batches ADD COLUMN model_id text;
ALTER TABLE handed_batches ADD COLUMN prices jsonb;
