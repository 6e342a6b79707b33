-- What became of a batch is kept with it once it is over, so that its lines can go with its results.

ALTER TABLE batches ADD COLUMN counts jsonb;

UPDATE batches b
SET counts = jsonb_build_object('succeeded', s.succeeded, 'failed', s.failed, 'tokens', s.tokens)
FROM (
  SELECT batch_id, count(*) FILTER (WHERE state = 'succeeded') AS succeeded, count(*) FILTER (WHERE state = 'failed') AS failed,
    CASE WHEN count(input_tokens) > 0 THEN jsonb_build_object(
      'input', coalesce(sum(input_tokens), 0), 'cached', coalesce(sum(cached_tokens), 0),
      'output', coalesce(sum(output_tokens), 0), 'reasoning', coalesce(sum(reasoning_tokens), 0)) END AS tokens
  FROM batch_lines
  GROUP BY batch_id
) s
WHERE s.batch_id = b.id AND b.ended_at IS NOT NULL AND b.form <> 'job';
