// A secret that is shown only once. It is only in the page's memory and is gone with it.

import { KeyRound } from 'lucide-react';
import { CopyButton } from './copy-button.tsx';
import { Notice } from './notice.tsx';

type SecretOnceProps = Readonly<{ secret: string; label: string; onCopied?: () => void }>;

export function SecretOnce({ secret, label, onCopied }: SecretOnceProps) {
  return (
    <div className="grid gap-3">
      <Notice tone="warn" icon={<KeyRound size={18} />}>
        Copy it now: it is shown only once and cannot be read again.
      </Notice>
      <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken p-3">
        <output aria-label={label} className="min-w-0 flex-1 font-mono text-sm break-all select-all">
          {secret}
        </output>
        <CopyButton text={secret} onCopied={onCopied} />
      </div>
    </div>
  );
}
