// An on/off switch with its label beside it.

import { useId } from 'react';

type SwitchProps = Readonly<{
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
  isLabelHidden?: boolean;
}>;

export function Switch({ label, isOn, onChange, isDisabled = false, isLabelHidden = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-2.5">
      <button
        type="button"
        role="switch"
        id={id}
        aria-checked={isOn}
        disabled={isDisabled}
        onClick={() => onChange(!isOn)}
        className="group relative h-6 w-10 shrink-0 rounded-full border border-edge bg-sunken transition-colors aria-checked:bg-accent"
      >
        <span className="block size-4.5 translate-x-0.5 rounded-full bg-quiet transition-transform group-aria-checked:translate-x-[1.1rem] group-aria-checked:bg-on-accent" />
      </button>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm'}>
        {label}
      </label>
    </div>
  );
}
