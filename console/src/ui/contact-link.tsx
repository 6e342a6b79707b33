// The link to the operator of this gateway: a mail address, or a page.

import { textLinkClass } from './text-link.ts';

export function ContactLink({ contact }: Readonly<{ contact: string }>) {
  const shown = contact.replace(/^mailto:/i, '');
  const href = /^https?:/.test(shown) ? shown : `mailto:${shown}`;
  return (
    <a href={href} rel="noreferrer" className={textLinkClass}>
      {shown}
    </a>
  );
}
