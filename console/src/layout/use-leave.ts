// What the browser must do after a session has ended: nothing of this person may be shown to the next one.

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { forgetAllConversations } from '../api/forget-conversations.ts';
import { forgetPerson } from '../api/person-memory.ts';

type Carried = Readonly<{ search?: Readonly<{ next?: string }>; hash?: string }>;

const NOTHING: Carried = {};

/** What is carried goes to the page where somebody signs in next. */
export function useLeave(carried: Carried = NOTHING): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    // The page is left first, because what is still shown would ask again for what was cleared, and be refused.
    await navigate({ to: '/sign-in', ...carried });
    forgetPerson(queryClient);
    forgetAllConversations();
  }, [queryClient, navigate, carried]);
}
