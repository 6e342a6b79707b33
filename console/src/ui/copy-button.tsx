// Copies a text and says so for two seconds, also to screen readers.

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

const SHOWN_MS = 2_000;

type CopyButtonProps = Readonly<{ text: string; label?: string; onCopied?: (() => void) | undefined }>;

export function CopyButton({ text, label = 'Copy', onCopied }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopied?.();
  };
  return (
    <Button isSmall onClick={copy}>
      {isCopied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  );
}
