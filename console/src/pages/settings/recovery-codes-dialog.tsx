// Recovery codes, shown only once.

import { KeyRound } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

export function RecoveryCodesDialog({ codes, onClose }: Readonly<{ codes: readonly string[]; onClose: () => void }>) {
  return (
    <Dialog title="Your recovery codes" isOpen={codes.length > 0} onClose={onClose}>
      <div className="grid gap-4">
        <Notice tone="warn" icon={<KeyRound size={18} />}>
          Each of them signs you in once when your app or passkey is lost. Keep them somewhere else: they are shown only
          once.
        </Notice>
        <ul
          aria-label="Recovery codes"
          className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-3 text-center font-mono text-sm select-all"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <footer className="flex justify-end gap-2">
          <CopyButton text={codes.join('\n')} />
          <Button kind="primary" onClick={onClose}>
            I have kept them
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}
