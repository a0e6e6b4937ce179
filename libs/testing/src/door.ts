/** What waits at the door goes on when it is opened. */
export function makeDoor(): { readonly door: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const door = new Promise<void>((resolve) => (open = resolve));
  return { door, open };
}
