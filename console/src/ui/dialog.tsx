// A modal dialog on the browser's own element: it traps the focus, closes on Escape and gives the focus back without
// any code of ours, and needs no injected styles, which the content security policy would refuse.

import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './button.tsx';

type DialogProps = Readonly<{ title: string; isOpen: boolean; onClose: () => void; children: ReactNode }>;

export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    if (isOpen && !dialog.open) {
      dialog.showModal();
      // The browser would focus the button that closes it.
      dialog.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea')?.focus();
    }
    if (!isOpen && dialog.open) dialog.close();
  }, [isOpen]);
  // A dialog that is removed while it is open would leave the focus nowhere.
  useLayoutEffect(() => {
    const dialog = element.current;
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // The owner of the dialog decides whether it closes.
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // While the console is developed React mounts everything twice, and the first closing is told after the second
        // opening.
        if (element.current?.open !== true) onClose();
      }}
      // Its text does not follow the cell of a table that it may be opened from.
      className="m-auto w-[min(34rem,calc(100vw-2rem))] rounded-2xl border border-line bg-surface p-0 text-left whitespace-normal text-ink shadow-2xl"
    >
      {isOpen && (
        <div className="grid gap-4 p-6">
          <header className="flex items-start justify-between gap-4">
            <h2 id={titleId} className="text-base font-semibold wrap-anywhere sm:text-lg">
              {title}
            </h2>
            <Button kind="ghost" isSmall aria-label="Close" onClick={onClose}>
              <X size={18} aria-hidden="true" />
            </Button>
          </header>
          {children}
        </div>
      )}
    </dialog>
  );
}
