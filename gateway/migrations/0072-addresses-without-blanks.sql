-- Addresses that a directory stated with blanks around them are kept without them, as all others are: no mail could be sent there. They are unique in their normal form, which never had any.

UPDATE users SET email = regexp_replace(email, '^\s+|\s+$', '', 'g') WHERE email ~ '^\s|\s$';
