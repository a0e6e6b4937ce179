/** A connection to a service that is older is made anew, so that a replica that came later gets its share. */
export const CONNECTION_MS = 60_000;
/** One that nothing comes by is closed by who has opened it: a service that stops waits longer than this before it closes what is left (`DRAIN_SECONDS`), so none is closed under a request. */
export const IDLE_CONNECTION_MS = 4_000;
