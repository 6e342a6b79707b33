// The field in which an operator says why money of an account is moved. It is required, because the holder reads it.

import { TextField } from '../../ui/field.tsx';

export function ReasonField() {
  return (
    <TextField
      label="Reason"
      name="reason"
      required
      maxLength={500}
      hint="The holder of the account sees it on the statement."
    />
  );
}
