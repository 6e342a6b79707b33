// A labelled form field. The control is given its id and its descriptions, so that the label, the hint and the error
// belong to it for everyone.

import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
} from 'react';
import { classNames } from './class-names.ts';
import type { FieldProblem } from './field-problem.ts';

type FormState = Readonly<{
  isPending: boolean;
  /** What is wrong with one of its fields. */
  problem: FieldProblem | null;
  /** What went wrong and belongs to no field. */
  error: unknown;
}>;

/** The form around, as its fields and buttons see it. */
export const FormContext = createContext<FormState>({ isPending: false, problem: null, error: null });

export const controlClass =
  'min-h-9.5 w-full rounded-lg border border-edge bg-surface px-3 py-2 text-sm text-ink disabled:opacity-60 aria-invalid:border-bad';

type FieldTexts = Readonly<{
  label: string;
  hint?: ReactNode;
  /** What the page itself finds wrong; what the form says of the name comes first. */
  error?: string | null;
  isLabelHidden?: boolean;
  name?: string | undefined;
}>;
type ControlIds = Readonly<{
  id: string;
  name: string | undefined;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}>;

/** For a control of any kind: it is given the ids that it must carry. */
export function Field({
  label,
  hint,
  error: ownError,
  isLabelHidden = false,
  name,
  children,
}: FieldTexts & Readonly<{ children: (ids: ControlIds) => ReactNode }>) {
  const id = useId();
  const { problem } = useContext(FormContext);
  const error = problem !== null && problem.name === name ? problem.text : ownError;
  const hasError = error !== undefined && error !== null && error !== '';
  const described = [hint === undefined ? null : `${id}-hint`, hasError ? `${id}-error` : null].filter(Boolean);
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children({
        id,
        name,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
        'aria-invalid': hasError,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-quiet">
          {hint}
        </p>
      )}
      {hasError && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  name,
  className,
  ...rest
}: FieldTexts & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} name={name}>
      {(ids) => <input {...ids} {...rest} className={classNames(controlClass, className)} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  isLabelHidden,
  name,
  className,
  children,
  ...rest
}: FieldTexts & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} name={name}>
      {(ids) => (
        <select {...ids} {...rest} className={classNames(controlClass, className)}>
          {children}
        </select>
      )}
    </Field>
  );
}

export function AreaField({
  label,
  hint,
  error,
  isLabelHidden,
  name,
  className,
  ...rest
}: FieldTexts & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} name={name}>
      {(ids) => <textarea rows={4} {...ids} {...rest} className={classNames(controlClass, className)} />}
    </Field>
  );
}
