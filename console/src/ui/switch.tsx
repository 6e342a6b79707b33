// An on/off switch with its label beside it.

import { Switch as Primitive } from 'radix-ui';
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
      <Primitive.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        className="relative h-6 w-10 shrink-0 rounded-full border border-line bg-sunken transition-colors data-[state=checked]:bg-accent"
      >
        <Primitive.Thumb className="block size-4.5 translate-x-0.5 rounded-full bg-quiet transition-transform data-[state=checked]:translate-x-[1.1rem] data-[state=checked]:bg-on-accent" />
      </Primitive.Root>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm'}>
        {label}
      </label>
    </div>
  );
}
