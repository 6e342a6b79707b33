// Short messages about what was just done. They are announced and disappear by themselves; errors never come here,
// because they must stay until they are read.

import { CircleCheck } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';

const SHOWN_MS = 4_000;

type Message = Readonly<{ id: number; text: string }>;

const ToastContext = createContext<(text: string) => void>(() => {});

export const useToast = (): ((text: string) => void) => useContext(ToastContext);

export function ToastProvider({ children }: Readonly<{ children: ReactNode }>) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const show = useCallback((text: string) => {
    const id = performance.now();
    setMessages((shown) => [...shown, { id, text }]);
    setTimeout(() => setMessages((shown) => shown.filter((message) => message.id !== id)), SHOWN_MS);
  }, []);
  const list = useMemo(
    () =>
      messages.map(({ id, text }) => (
        <div
          key={id}
          className="flex items-center gap-2.5 rounded-lg border border-line bg-surface px-4 py-3 text-sm shadow-lg"
        >
          <CircleCheck size={18} aria-hidden="true" className="text-good" />
          {text}
        </div>
      )),
    [messages],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div role="status" className="pointer-events-none fixed right-4 bottom-4 z-50 grid gap-2">
        {list}
      </div>
    </ToastContext>
  );
}
