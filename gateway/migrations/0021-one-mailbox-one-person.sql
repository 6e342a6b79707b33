-- Tags behind a plus sign, and dots where a mail service ignores them, lead to one mailbox: signing up counts mailboxes,
-- so that free quotas are not had as often as one likes. Addresses themselves stay as they are, and people sign in by them.

CREATE FUNCTION mailbox_of(address text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE
    WHEN domain IN ('gmail.com', 'googlemail.com') THEN replace(name, '.', '') || '@gmail.com'
    ELSE name || '@' || domain
  END
  FROM (
    SELECT split_part(address, '@', 2) AS domain,
      coalesce(nullif(split_part(split_part(address, '@', 1), '+', 1), ''), split_part(address, '@', 1)) AS name
  ) AS parts
$$;

CREATE INDEX users_mailbox ON users (mailbox_of(email_normalized));
