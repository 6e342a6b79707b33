// What was typed into a form, as the gateway takes it. An empty amount means no limit, and zero is a limit.

export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

export const textOrNull = (form: FormData, name: string): string | null => textIn(form, name) || null;

export function amountIn(form: FormData, name: string): number | null {
  const text = textIn(form, name);
  return text === '' ? null : Number(text);
}

/** Lines, or words between commas. */
export const linesIn = (form: FormData, name: string): string[] =>
  textIn(form, name)
    .split(/[\n,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const amountText = (amount: number | null): string => (amount === null ? '' : String(amount));
