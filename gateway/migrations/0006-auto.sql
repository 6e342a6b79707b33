-- A caller of the auto router may ask why a model was chosen: the record of a call keeps the decision.

-- The table, the tier and the names of the signals that decided; null where the caller named a model. Never any text
-- of the prompt.
ALTER TABLE generations ADD COLUMN auto_decision jsonb;
