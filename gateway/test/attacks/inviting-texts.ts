// Texts that make a pattern try again at every character, repeated as often as wanted: fifty beginnings of the data
// that templates look for, none of them complete.

export const INVITING: readonly string[] = [
  ...['a', '1', '1 ', 'a@', 'a.', '+1', '-', 'AB', 'eyJ', 'sk-', '0 ', '(0', '1-', '-----BEGIN ', 'api_key=', 'Aa1'],
  ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----!', '-----END ', '=', '"', ' ', '\n', '\t', '\\'],
  ...['4111 ', '4111-1111-', '5500.', '00', '0.', '127.0.', '::', 'fe80:', 'DE00', 'GB82 WEST ', 'GB82WEST'],
  ...['AKIA', 'ghp_', 'xoxb-', 'Bearer ', 'password: ', 'token=', 'a@b.', '@', '%40', '+49 (0) ', '(555) 555-'],
  ...['123-45-', '\u0660', '\u200b1'],
];
