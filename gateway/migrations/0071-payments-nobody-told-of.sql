-- A payment whose notification never comes is found by asking its provider.

-- How often the provider was asked about the page of the order.
ALTER TABLE top_up_orders ADD COLUMN asked_count smallint NOT NULL DEFAULT 0;
