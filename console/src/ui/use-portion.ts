// A long list is drawn in portions: the next one when the end of what is drawn comes near the window, and all of it for
// printing. What is not drawn yet costs nothing, so a page of five hundred models opens and scrolls like one of fifty.

import { type RefCallback, useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

const PORTION = 60;

type Portion = Readonly<{
  shown: number;
  /**
   * For an element after the last one drawn; it needs a key that changes with `shown`. Absent when everything is drawn.
   */
  edge: RefCallback<Element> | null;
}>;

export function usePortion(count: number): Portion {
  const [wanted, setWanted] = useState(PORTION);
  const shown = Math.min(wanted, count);
  const edge = useCallback((element: Element | null) => {
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setWanted((before) => before + PORTION);
      },
      // One more window height, so that it is there before the reader arrives.
      { rootMargin: '100% 0px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const drawAll = (): void => flushSync(() => setWanted(Number.POSITIVE_INFINITY));
    window.addEventListener('beforeprint', drawAll);
    return () => window.removeEventListener('beforeprint', drawAll);
  }, []);
  return { shown, edge: shown < count ? edge : null };
}
