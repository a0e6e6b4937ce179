import type { Principal, ServiceName } from '@twinyard/conventions';
import type { EffectiveGrants } from './grants';

/**
 * What passportsvc serves to the other services under `/internal/v1`, which the gateway does not route. Each request
 * carries `Authorization: Bearer <SERVICE_TOKEN>`.
 */
export const PASSPORT_INTERNAL = {
  /** `GrantSyncRequest` → `GrantSyncResponse`; the body is held until something changed, at most `SYNC_HOLD_MS`. */
  sync: '/internal/v1/grants/sync',
  /** `GrantResolveRequest` → `GrantResolveResponse` */
  resolve: '/internal/v1/grants/resolve',
  /** `RunTokenRequest` → `RunTokenResponse` */
  runTokens: '/internal/v1/run-tokens',
  /** `AssignableProfileRequest` → `AssignableProfileResponse` */
  assignableProfile: '/internal/v1/assignable-profiles',
  /** `RunSecretsRequest` → `RunSecretsResponse` */
  runSecrets: '/internal/v1/run-secrets',
  /** `UsersRequest` → `UsersResponse` */
  users: '/internal/v1/users',
  /** → `OriginsResponse` */
  origins: '/internal/v1/origins',
  /** `ApplicationOfNamespaceRequest` → `ApplicationOfNamespaceResponse` */
  namespaces: '/internal/v1/namespaces',
} as const;

/** How long passportsvc counts on an instance to know of every change that it acknowledged or to serve no cached grant. */
export const LEASE_MS = 900;
/**
 * How long a sync request is held when nothing changes. The lease is renewed by the head of the answer, which comes before the
 * hold; what the lease has left after the hold, 300 ms, is the time for the head of the next answer.
 */
export const SYNC_HOLD_MS = 600;
/**
 * In the head of an answer to a sync: when this was sent, the lease had been renewed and there was no change after `acked`.
 * Any later change waits for this instance, so it may serve from memory at once, though the body is held.
 */
export const UP_TO_DATE_HEADER = 'x-grants-up-to-date';

/** The one request by which an instance renews its lease, acknowledges all up to `acked`, and waits for what is next. */
export interface GrantSyncRequest {
  readonly instance: string;
  readonly service: ServiceName;
  /** Highest change that the instance has applied; -1 at its start. */
  readonly acked: number;
}

/** Keys of cached entries that a change makes stale: `user:<id>`, `client:<id>`, `usergroup:<id>`, `permprofile:<id>`, `session:<sid>`, `oauthgrant:<gid>`. */
export type InvalidationKey = string;

export interface GrantSyncResponse {
  readonly seq: number;
  /** True when the instance missed changes that are not kept any more, or has just started: all entries are stale. */
  readonly reset: boolean;
  readonly keys: readonly InvalidationKey[];
}

export interface GrantResolveRequest {
  readonly service: ServiceName;
  readonly principal: Principal;
}

export interface GrantResolveResponse {
  /** The last change that the answer surely holds. */
  readonly seq: number;
  readonly effective: EffectiveGrants;
  /** The entry is dropped from caches when one of these changes. */
  readonly keys: readonly InvalidationKey[];
}

/** A token by which a run acts for somebody whose own token may end before it does. */
export interface RunTokenRequest {
  readonly userId?: string;
  readonly clientId?: string;
  readonly appId?: string;
  readonly scopes: readonly string[];
  /** The run acts with this permission profile's rights instead of the user's. */
  readonly profileId?: string;
  readonly runId: string;
  /** The token opens nothing outside of these. */
  readonly namespaces: readonly string[];
}

/** Whether a caller may attach a permission profile to something that lies in these namespaces (contract 5). */
export interface AssignableProfileRequest {
  readonly principal: Principal;
  readonly profileId: string;
  readonly namespaces: readonly string[];
}

export interface AssignableProfileResponse {
  /** `unknown`: not in each of the namespaces, or nothing that the caller may see, which is the same to it. `forbidden`: it may see it. */
  readonly verdict: 'assignable' | 'forbidden' | 'unknown';
}

/** Secrets that a run uses, by their names in its namespaces: READ on each (contract 5). A principal that is no run is told none. */
export interface RunSecretsRequest {
  readonly principal: Principal;
  readonly names: readonly string[];
}

/** `unknown`: not there, or nothing that the run may see, which is the same to it. `ambiguous`: several of its namespaces have one of this name. */
export type RunSecret =
  | { readonly name: string; readonly verdict: 'told'; readonly value: string }
  | { readonly name: string; readonly verdict: 'unknown' | 'ambiguous' };

export interface RunSecretsResponse {
  readonly secrets: readonly RunSecret[];
}

export interface RunTokenResponse {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface UsersRequest {
  readonly ids: readonly string[];
}

export interface UserSummary {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Whether it has proved that it reads what is sent there. */
  readonly emailVerified: boolean;
  readonly locale?: string;
  readonly disabled: boolean;
}

export interface UsersResponse {
  readonly users: readonly UserSummary[];
}

export interface OriginsResponse {
  readonly origins: readonly string[];
}

export interface ApplicationOfNamespaceRequest {
  readonly namespaces: readonly string[];
}

export interface ApplicationOfNamespaceResponse {
  readonly namespaces: readonly { readonly namespace: string; readonly appId?: string; readonly applicationName?: string }[];
}
