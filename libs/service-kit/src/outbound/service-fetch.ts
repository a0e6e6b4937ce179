import { Agent, fetch as undiciFetch } from 'undici';
import { CONNECTION_MS, IDLE_CONNECTION_MS } from '../lines/kept-connections';

type ServiceFetch = (url: URL | string, init?: Omit<RequestInit, 'body'> & { readonly body?: string }) => Promise<Response>;

/** `fetch` for what one service asks another. */
export function serviceFetch(keptMs: number): ServiceFetch {
  const dispatcher = new Agent({ clientTtl: keptMs, keepAliveTimeout: IDLE_CONNECTION_MS, keepAliveMaxTimeout: IDLE_CONNECTION_MS });
  return (url, init) => undiciFetch(url, { ...init, dispatcher } as Parameters<typeof undiciFetch>[1]) as unknown as Promise<Response>;
}

export const fetchFromService: ServiceFetch = serviceFetch(CONNECTION_MS);
