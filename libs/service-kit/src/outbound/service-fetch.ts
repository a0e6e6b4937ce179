import { Agent, fetch as undiciFetch } from 'undici';
import { CONNECTION_MS, IDLE_CONNECTION_MS } from '../lines/kept-connections';

/** A body that is made while it is sent goes out in chunks; undici wants to be told that its answer is read behind it. */
type SentBody = { readonly body?: string | Uint8Array } | { readonly body: AsyncIterable<Uint8Array>; readonly duplex: 'half' };

type ServiceFetch = (url: URL | string, init?: Omit<RequestInit, 'body'> & SentBody) => Promise<Response>;

/** `fetch` for what one service asks another. */
export function serviceFetch(keptMs: number): ServiceFetch {
  const dispatcher = new Agent({ clientTtl: keptMs, keepAliveTimeout: IDLE_CONNECTION_MS, keepAliveMaxTimeout: IDLE_CONNECTION_MS });
  return (url, init) => undiciFetch(url, { ...init, dispatcher } as Parameters<typeof undiciFetch>[1]) as unknown as Promise<Response>;
}

export const fetchFromService: ServiceFetch = serviceFetch(CONNECTION_MS);
