// Which mailbox an address leads to. Tags behind a plus sign, and at Gmail dots as well, make as many addresses of one
// mailbox as one likes: whoever counts mails counts by this. The database has the same rule, `mailbox_of`.

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/** Of an address in its normal form. */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const [localPart, domain] = [address.slice(0, at), address.slice(at + 1)];
  const plus = localPart.indexOf('+');
  const name = plus > 0 ? localPart.slice(0, plus) : localPart;
  return GMAIL.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}
