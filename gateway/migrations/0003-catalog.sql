-- The config document lives here and nowhere else: files and operators add revisions, the newest one is live.

-- json and not jsonb: the order in which an operator lists models is kept. API keys inside are sealed.
create table config_revisions (
  revision bigint generated always as identity primary key,
  document json not null,
  source text not null check (source in ('file', 'built-in', 'operator')),
  -- The file applied last, carried forward by operators' revisions: at start it decides whether a file is news.
  file_source text check (file_source in ('file', 'built-in')),
  file_digest text,
  created_at timestamptz not null default now(),
  check ((file_source is null) = (file_digest is null))
);

-- What must be remembered of a model after it has left the document: that it existed, and its last day.
create table catalog_models (
  id text primary key,
  first_seen_at timestamptz not null default now(),
  deprecation_date date
);
