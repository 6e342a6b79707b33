-- A handed batch that its provider refused is due until all of its lines have been given back.

DROP INDEX handed_batches_due;
CREATE INDEX handed_batches_due ON handed_batches (due_at) WHERE state IN ('open', 'sending', 'sent', 'refused');
