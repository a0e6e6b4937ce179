export interface WaitBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** A wait that is twice as long each time, in ms; `times`: how often it has been doubled. */
export const doubledWait = ({ firstMs, longestMs }: WaitBounds, times: number): number => Math.min(longestMs, firstMs * 2 ** Math.min(times, 30));
