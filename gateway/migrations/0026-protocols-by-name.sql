-- Which protocols there are is known to the gateway's own files alone; a list in the schema would have to follow each.
ALTER TABLE byok_keys DROP CONSTRAINT byok_keys_protocol_check;
