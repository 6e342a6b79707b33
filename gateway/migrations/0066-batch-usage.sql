-- A batch tells what its lines have used, and its maker may say how long its results are kept.

-- Null in rows of a build that does not know of this, and where an answer told nothing.
ALTER TABLE batch_lines ADD COLUMN input_tokens bigint;
ALTER TABLE batch_lines ADD COLUMN cached_tokens bigint;
ALTER TABLE batch_lines ADD COLUMN output_tokens bigint;
ALTER TABLE batch_lines ADD COLUMN reasoning_tokens bigint;
-- From the end of the batch on. Null: as long as all files.
ALTER TABLE batches ADD COLUMN results_kept_seconds integer;
