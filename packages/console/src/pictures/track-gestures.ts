// Zooms and moves a picture along its axis with the wheel, the touchpad and two fingers.

import { type RefObject, useEffect, useEffectEvent } from 'react';

export interface Gestures {
  /** `x` is the place that stays, in pixels from the left edge. */
  readonly onZoom: (factor: number, x: number) => void;
  /** In pixels to the right. */
  readonly onPan: (by: number) => void;
}

/** Pixels of the wheel that double the span. */
const doublingPixels = 300;

/** Listens directly, because a listener of React may not prevent scrolling. */
export function useGestures(ref: RefObject<HTMLElement | null>, { onZoom, onPan }: Gestures): void {
  const zoom = useEffectEvent(onZoom);
  const pan = useEffectEvent(onPan);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const listening = new AbortController();
    const options = { passive: false, signal: listening.signal };
    const placeOf = (clientX: number): number => clientX - element.getBoundingClientRect().left;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX);
      else zoom(2 ** (event.deltaY / doublingPixels), placeOf(event.clientX));
    };
    let distance: number | undefined;
    const onTouch = (event: TouchEvent): void => {
      const [first, second] = event.touches;
      if (first === undefined || second === undefined) {
        distance = undefined;
        return;
      }
      event.preventDefault();
      const next = Math.max(1, Math.abs(first.clientX - second.clientX));
      if (distance !== undefined) zoom(distance / next, placeOf((first.clientX + second.clientX) / 2));
      distance = next;
    };
    element.addEventListener('wheel', onWheel, options);
    for (const type of ['touchstart', 'touchmove', 'touchend'] as const)
      element.addEventListener(type, onTouch, options);
    return () => listening.abort();
  }, [ref]);
}
