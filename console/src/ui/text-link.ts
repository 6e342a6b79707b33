// The look of a link within a text.

export const textLinkClass = 'font-medium text-accent underline underline-offset-2 hover:text-accent-strong';
