-- Newer prices of vendors than those that are shipped, as an operator has fetched them: all processes look them up here.

create table price_books (
  fetched_at timestamptz primary key default now(),
  source text not null,
  -- The book's own form, as it was fetched.
  data json not null
);
