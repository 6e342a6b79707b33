// The user's words, without what a coding agent put around them. Reminders and descriptions of the environment are in
// tags, `<system-reminder>` or `<environment_context>`, and would otherwise be taken for the user's words. So would
// `<system>`, in which a gateway puts what the system says amid a conversation, where the protocol has no such message.

const OPENING_TAG = /<(system|[a-z]+(?:[-_][a-z]+)+)>/g;

// Each opening tag costs a search for its end, and a prompt may be one long row of them.
const TAGS_MAX = 64;

export function userWords(text: string): string {
  if (!text.includes('</')) return text;
  let words = '';
  let from = 0;
  let tagsLeft = TAGS_MAX;
  for (const { 1: name = '', index } of text.matchAll(OPENING_TAG)) {
    if (index < from) continue;
    if (tagsLeft === 0) break;
    tagsLeft -= 1;
    const end = text.indexOf(`</${name}>`, index);
    if (end < 0) continue;
    words += text.slice(from, index);
    from = end + name.length + 3;
  }
  words = (words + text.slice(from)).trim();
  return words === '' ? text : words;
}
