import { json } from 'node:stream/consumers';
import { unavailable } from '@twinyard/conventions';
import { requestJson } from './json-request';
import {
  type ApplicationOfNamespaceRequest, type ApplicationOfNamespaceResponse, type AssignableProfileRequest, type AssignableProfileResponse,
  type GrantResolveRequest, type GrantResolveResponse, type GrantSyncRequest, type GrantSyncResponse, type OriginsResponse, PASSPORT_INTERNAL,
  type RunSecretsRequest, type RunSecretsResponse, type RunTokenRequest, type RunTokenResponse, SYNC_HOLD_MS, UP_TO_DATE_HEADER, type UsersRequest, type UsersResponse,
} from './passport-protocol';

const TIMEOUT_MS = 5_000;

export interface PassportClientOptions {
  /** Address of passportsvc inside the deployment. */
  readonly passportUrl: string;
  readonly serviceToken: string;
}

interface Waiting {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onUpToDate?: () => void;
}

/** passportsvc as the other services see it. Every failure is `unavailable` (503): nobody is let in by an outage. */
export class PassportClient {
  constructor(private readonly options: PassportClientOptions) {}

  /** `onUpToDate` is called when the lease is renewed and nothing is to be applied: before the answer, which is held then. */
  sync(request: GrantSyncRequest, signal: AbortSignal, onUpToDate: () => void): Promise<GrantSyncResponse> {
    return this.post(PASSPORT_INTERNAL.sync, request, { timeoutMs: SYNC_HOLD_MS + 1_000, signal, onUpToDate });
  }

  resolve(request: GrantResolveRequest): Promise<GrantResolveResponse> {
    return this.post(PASSPORT_INTERNAL.resolve, request);
  }

  issueRunToken(request: RunTokenRequest): Promise<RunTokenResponse> {
    return this.post(PASSPORT_INTERNAL.runTokens, request);
  }

  assignableProfile(request: AssignableProfileRequest): Promise<AssignableProfileResponse> {
    return this.post(PASSPORT_INTERNAL.assignableProfile, request);
  }

  runSecrets(request: RunSecretsRequest): Promise<RunSecretsResponse> {
    return this.post(PASSPORT_INTERNAL.runSecrets, request);
  }

  users(request: UsersRequest): Promise<UsersResponse> {
    return this.post(PASSPORT_INTERNAL.users, request);
  }

  origins(): Promise<OriginsResponse> {
    return this.post(PASSPORT_INTERNAL.origins, {});
  }

  applicationsOfNamespaces(request: ApplicationOfNamespaceRequest): Promise<ApplicationOfNamespaceResponse> {
    return this.post(PASSPORT_INTERNAL.namespaces, request);
  }

  private async post<T>(path: string, body: unknown, { timeoutMs = TIMEOUT_MS, signal, onUpToDate }: Waiting = {}): Promise<T> {
    try {
      const url = new URL(path, this.options.passportUrl);
      const response = await requestJson({ url, authorization: `Bearer ${this.options.serviceToken}`, body, timeoutMs, ...(signal && { signal }) });
      if (response.statusCode !== 200) {
        response.resume();
        throw new Error(`passportsvc answered ${response.statusCode} on ${path}`);
      }
      if (response.headers[UP_TO_DATE_HEADER] !== undefined) onUpToDate?.();
      return (await json(response)) as T;
    } catch (error) {
      throw unavailable('The identity service cannot be reached right now', error);
    }
  }
}
