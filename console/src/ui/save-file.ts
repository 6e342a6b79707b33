// Hands a text or a download to the browser as a file. Its temporary address is revoked at once.

export function saveFile(name: string, content: string | Blob, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
