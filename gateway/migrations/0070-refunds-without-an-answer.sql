-- A refund whose answer was lost is asked for again under its own key, also when its notification has changed the order since.

-- The keys of refunds that were asked for and not answered yet; each contains its amount.
ALTER TABLE top_up_orders ADD COLUMN refund_keys text[] NOT NULL DEFAULT '{}';
