-- People sign in: sign-ups whose address is still to be proven, sessions, password resets, accounts at other sites, and the mails.

-- A user comes into being when the link of the mail is used. Every sign-up carries the password that was typed with it,
-- so that whoever signs up with a stranger's address gains nothing when the stranger confirms their own.
CREATE TABLE sign_ups (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  email text NOT NULL,
  email_normalized text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX sign_ups_email ON sign_ups (email_normalized, created_at);
CREATE INDEX sign_ups_expired ON sign_ups (expires_at);

-- A newer request takes the place of the older.
CREATE TABLE password_resets (
  user_id text PRIMARY KEY REFERENCES users (id),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  expires_at timestamptz NOT NULL,
  CONSTRAINT password_resets_one_hash UNIQUE (hash)
);

-- A session's secret is in a cookie and nowhere else; here is only its hash.
CREATE TABLE sessions (
  id text PRIMARY KEY,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  user_id text NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  -- Moves on while the session is used, and never beyond its last moment.
  expires_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  user_agent text,
  ip text,
  CONSTRAINT sessions_one_hash UNIQUE (hash),
  CONSTRAINT sessions_end CHECK (expires_at <= ends_at)
);

CREATE INDEX sessions_user ON sessions (user_id, last_seen_at);
CREATE INDEX sessions_expired ON sessions (expires_at);

-- Accounts at other sites that a person may sign in with. The site's own id of the account decides, never its address.
CREATE TABLE external_logins (
  provider text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, subject)
);

CREATE INDEX external_logins_user ON external_logins (user_id);

-- Attempts at guessing, by what is guessed at and by where they come from. Addresses are kept as hashes, because
-- anybody can type anything into a form.
CREATE TABLE sign_in_attempts (
  subject text PRIMARY KEY,
  attempts integer NOT NULL,
  last_at timestamptz NOT NULL,
  blocked_until timestamptz NOT NULL
);

CREATE INDEX sign_in_attempts_old ON sign_in_attempts (last_at);

-- Mails on their way. The content is sealed, because what is in it can reset a password, and it goes as soon as the
-- mail has.
CREATE TABLE mail_outbox (
  id text PRIMARY KEY,
  recipient text NOT NULL,
  content text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'given_up')),
  ended_at timestamptz,
  CONSTRAINT mail_outbox_content CHECK ((state = 'waiting') = (content IS NOT NULL)),
  CONSTRAINT mail_outbox_end CHECK ((state = 'waiting') = (ended_at IS NULL))
);

CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX mail_outbox_old ON mail_outbox (ended_at) WHERE state <> 'waiting';
