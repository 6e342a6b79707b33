// The way to whoever runs this gateway: an address to write to, or a page.

import { textLinkClass } from './text-link.ts';

export function ContactLink({ contact }: Readonly<{ contact: string }>) {
  const href = /^https?:/.test(contact) ? contact : `mailto:${contact}`;
  return (
    <a href={href} rel="noreferrer" className={textLinkClass}>
      {contact}
    </a>
  );
}
