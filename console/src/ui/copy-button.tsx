// Copies a text and says so for two seconds, also to screen readers; where the browser refuses, it says that instead.

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 2_000;
const WORDS = { copied: 'Copied', refused: 'Select it and copy it yourself' } as const;

type CopyButtonProps = Readonly<{ text: string; label?: string; onCopied?: (() => void) | undefined }>;

export function CopyButton({ text, label = 'Copy', onCopied }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  useEffect(() => {
    if (outcome !== 'copied') return;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    try {
      await copyText(text);
    } catch {
      setOutcome('refused');
      return;
    }
    setOutcome('copied');
    onCopied?.();
  };
  return (
    <Button isSmall onClick={copy}>
      {outcome === 'copied' ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
      <span aria-live="polite">{outcome === null ? label : WORDS[outcome]}</span>
    </Button>
  );
}
