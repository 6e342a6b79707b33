// Tells secrets that anybody would try first from those that are merely not random: only short ones, repetitions, rows
// of the keyboard and well-known words are refused.

const LENGTH_MIN = 8;
const DISTINCT_MIN = 5;
const PERIOD_MAX = 4;
const ROWS = [
  '01234567890123456789',
  '12345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
];
const WORDS = [
  'password',
  'passwort',
  'changeme',
  'changethis',
  'secret',
  'admin',
  'administrator',
  'letmein',
  'tollgate',
  'default',
  'example',
  'welcome',
  'master',
  'token',
  'test',
  'demo',
  'root',
  'operator',
  'qwerty',
];

/** What is wrong with the secret, or null. */
export function weaknessOf(secret: string): string | null {
  if (secret.length < LENGTH_MIN) return `has fewer than ${LENGTH_MIN} characters`;
  if (new Set(secret).size < DISTINCT_MIN || isRepetition(secret)) return 'repeats a few characters';
  const plain = secret.toLowerCase();
  if (ROWS.some((row) => row.includes(plain) || plain.startsWith(row.slice(0, LENGTH_MIN)))) {
    return 'is a row of characters that everybody knows';
  }
  const letters = plain.replace(/[^a-z]/g, '');
  const isWord = WORDS.some((word) => letters !== '' && letters.split(word).join('') === '');
  return isWord ? 'is a word that everybody tries' : null;
}

function isRepetition(secret: string): boolean {
  for (let period = 1; period <= PERIOD_MAX; period += 1) {
    if ([...secret].every((letter, index) => letter === secret[index % period])) return true;
  }
  return false;
}
