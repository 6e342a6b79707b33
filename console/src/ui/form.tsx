// The one way in which the console asks for something and sends it. The browser checks what the fields themselves
// demand, `read` turns what was typed into what is sent, and the gateway's word on a field stands beside that field.
// While a form is sent its fields are locked, and it is not sent twice.

import { type FormEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../api/problem.ts';
import { Button, type ButtonProps } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { FormContext } from './field.tsx';
import { problemAmong } from './field-problem.ts';

/** What a form needs of a mutation. */
export type Sending<Wish> = Readonly<{
  mutateAsync: (wish: Wish) => Promise<unknown>;
  isPending: boolean;
  error: unknown;
}>;

const STACKED = 'grid gap-4';

/**
 * A field of ours shows its problem beside it. Boxes to tick and hidden fields show none, so theirs is shown below the
 * form.
 */
const saysWhatIsWrong = (control: RadioNodeList | Element | null): boolean =>
  control instanceof Element && control.hasAttribute('aria-invalid');

type FormProps<Wish> = Readonly<{
  sending: Sending<Wish>;
  /** What was typed, as it is sent. A field that it cannot read it names with a FieldMistake. */
  read: (form: FormData) => Wish;
  /** Whether the fields are as at first once it was sent. */
  isEmptiedAfter?: boolean;
  /** Stays usable while the form is sent. */
  footer?: ReactNode;
  className?: string;
  children: ReactNode;
}>;

export function Form<Wish>({ sending, read, isEmptiedAfter, footer, className = STACKED, children }: FormProps<Wish>) {
  const [element, setElement] = useState<HTMLFormElement | null>(null);
  const [mistake, setMistake] = useState<unknown>(null);
  const isLocked = useRef(false);
  const { isPending } = sending;
  // Once the field that was wrong is changed, it is not known to be wrong any more.
  const [mended, setMended] = useState<unknown>(null);
  const told = mistake ?? sending.error;
  const error = told === mended ? null : told;
  const problem =
    element === null ? null : problemAmong(error, (name) => saysWhatIsWrong(element.elements.namedItem(name)));
  const focusedBefore = useFocusKept(element, isPending, problem?.name ?? null, error);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    // The mutation says that it is pending a moment later than a second press of the button can come.
    if (isLocked.current) return;
    isLocked.current = true;
    focusedBefore.current = document.activeElement;
    setMistake(null);
    try {
      await sending.mutateAsync(read(new FormData(form)));
      if (isEmptiedAfter) form.reset();
    } catch (failure) {
      // The mutation keeps what the gateway said; what could not be read it has never seen.
      if (!(failure instanceof ApiProblem)) setMistake(failure);
    }
    isLocked.current = false;
  };
  return (
    <FormContext value={{ isPending, problem, error: problem === null ? error : null }}>
      <form
        ref={setElement}
        onSubmit={(event) => void submit(event)}
        onInput={({ target }) => {
          if (problem !== null && target === element?.elements.namedItem(problem.name)) setMended(told);
        }}
        className={className}
      >
        <fieldset disabled={isPending} className="contents">
          {children}
        </fieldset>
        {footer}
      </form>
    </FormContext>
  );
}

/**
 * What is locked loses the focus. Afterwards the focus is on the field that is wrong, or where it was; each new error
 * moves it once, and typing afterwards does not.
 */
function useFocusKept(form: HTMLFormElement | null, isPending: boolean, wrongName: string | null, error: unknown) {
  const before = useRef<Element | null>(null);
  useEffect(() => {
    if (isPending) return;
    const wrong = error === null || wrongName === null ? null : form?.elements.namedItem(wrongName);
    const target = wrong ?? (document.activeElement === document.body ? before.current : null);
    if (target instanceof HTMLElement) target.focus();
  }, [form, isPending, wrongName, error]);
  return before;
}

/** Sends the form that it stands in. */
export function SubmitButton(props: Omit<ButtonProps, 'type'>) {
  const { isPending } = useContext(FormContext);
  return <Button {...props} type="submit" isBusy={isPending} />;
}

/** What went wrong and belongs to no field; where something else beside the form failed, that. */
export function FormError({ beside }: Readonly<{ beside?: unknown }>) {
  const { error } = useContext(FormContext);
  return <ErrorNotice error={error ?? beside} />;
}
