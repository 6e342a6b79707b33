// Something that is fetched as a file: one at a time, and its failure is shown.

import { useMutation } from '@tanstack/react-query';

export function useSaving(run: () => Promise<void>): Readonly<{ save: () => void; isSaving: boolean; error: unknown }> {
  const { mutate, isPending, error } = useMutation({ mutationFn: run });
  return { save: () => mutate(), isSaving: isPending, error };
}
