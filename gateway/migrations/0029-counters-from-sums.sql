-- What a person or a key has spent in an hour is found by itself: the first call under a breaker read everybody's hour.

CREATE INDEX usage_hourly_user ON usage_hourly (user_id, day);
CREATE INDEX usage_hourly_key ON usage_hourly (key_id, day);
CREATE INDEX usage_daily_user ON usage_daily (user_id, day);
