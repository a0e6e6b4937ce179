import { z } from 'zod';
import type { FairShareTerms } from './fair-share';

/** Of a service whose tenants must not wait for each other. */
export const fairShareSettings = {
  REQUEST_PLACES: z.coerce.number().int().min(2).max(1_000).default(10).describe('Requests that one process works at at a time, those of light reads and writes as well as of searches; connections to its database are kept for them, in itemsvc two each'),
  TENANT_SHARE: z.coerce.number().min(0.1).max(0.9).default(0.6).describe('Of places, connections and exports, what one organization (of requests about no namespace: one caller) may hold when no other wants any; each other that comes takes of it'),
  REQUEST_WAIT_SECONDS: z.coerce.number().int().min(1).max(600).default(30).describe('How long a request waits for a place before it is answered 503'),
  REQUESTS_WAITING: z.coerce.number().int().min(1).max(100_000).default(1_000).describe('Requests of one organization that may wait for a place of a process; more are answered 429'),
};

export type FairShareSettings = { readonly [Name in keyof typeof fairShareSettings]: z.output<(typeof fairShareSettings)[Name]> };

/** Bodies that wait are in memory. */
const WAITING_BYTES = 64 * 1024 ** 2;

/** The terms for some places of a service's. */
export const fairShareTerms = (settings: FairShareSettings, places = settings.REQUEST_PLACES): FairShareTerms => ({
  places,
  share: settings.TENANT_SHARE,
  waiting: { requests: settings.REQUESTS_WAITING, bytes: WAITING_BYTES },
  waitMs: settings.REQUEST_WAIT_SECONDS * 1_000,
});
