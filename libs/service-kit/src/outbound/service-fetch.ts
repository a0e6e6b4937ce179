import { Agent, fetch as undiciFetch } from 'undici';

/** No connection is kept longer, so that a replica that came later gets its share; as the gateway's (`UPSTREAM_CONNECTION_MS`). */
const KEPT_MS = 60_000;
/** One that nothing comes by is closed from here, before a service that stops closes what is left (`DRAIN_SECONDS`). */
const IDLE_MS = 4_000;

type ServiceFetch = (url: URL | string, init?: Omit<RequestInit, 'body'> & { readonly body?: string }) => Promise<Response>;

/** `fetch` for what one service asks another. */
export function serviceFetch(keptMs: number): ServiceFetch {
  const dispatcher = new Agent({ clientTtl: keptMs, keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS });
  return (url, init) => undiciFetch(url, { ...init, dispatcher } as Parameters<typeof undiciFetch>[1]) as unknown as Promise<Response>;
}

export const fetchFromService: ServiceFetch = serviceFetch(KEPT_MS);
