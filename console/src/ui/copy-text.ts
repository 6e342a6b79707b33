// Puts a text on the clipboard. A page that did not come over TLS is given no clipboard by the browser; there the text is
// copied from a field that is selected for a moment, as it was done before browsers had one.

export async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) await navigator.clipboard.writeText(text);
  else copySelected(text);
}

function copySelected(text: string): void {
  const before = document.activeElement;
  // Behind an open dialog nothing can be selected.
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  place.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('The browser does not let this page copy. Select the text and copy it yourself.');
}
