-- The lines of a batch count, where they cost nothing, under the network that the batch was ordered from.

-- Null in rows of a build that does not know of this.
ALTER TABLE batches ADD COLUMN network text;
