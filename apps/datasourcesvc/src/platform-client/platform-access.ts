import { keptScopes, type PassportClient, type RunTokenRequest } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import type { Run } from '../runs/run.entity';
import { PlatformClient } from './platform-client';
import { type PlatformAddresses, PlatformHttp } from './http/platform-http';
import type { PlatformUsage } from './platform-usage';
import { RunSecrets } from './run-secrets';
import { RunToken } from './run-token';

/** Makes the client that a step of a run works with. */
export class PlatformAccess {
  /** One for all steps of a run in one pair of hands, which count what it uses in one place. */
  private readonly tokens = new WeakMap<PlatformUsage, RunToken>();

  constructor(
    private readonly passport: PassportClient,
    private readonly addresses: PlatformAddresses,
  ) {}

  clientFor(run: Run, signal: AbortSignal, usage: PlatformUsage): PlatformClient {
    const token = this.tokens.get(usage) ?? new RunToken(this.passport, toTokenRequest(run));
    this.tokens.set(usage, token);
    const http = new PlatformHttp({ addresses: this.addresses, token, signal, usage });
    return new PlatformClient(http, run.namespaces, new RunSecrets(this.passport, toPrincipal(run), http));
  }
}

/** Whose rights a run has: those of its starter, or of a permission profile. */
export type RunActor = Pick<Principal, 'type' | 'id' | 'appId' | 'profileId' | 'scopes'>;

export function actorOf(run: Run): RunActor {
  const { type, id, appId, profileId, scopes } = toPrincipal(run);
  return { type, id, scopes, ...(appId !== undefined && { appId }), ...(profileId !== undefined && { profileId }) };
}

/** Contract 5: the rights of the orchestrator's permission profile, else those of the starter, which may itself be a run under a profile. */
function toTokenRequest({ id, starter, permissionProfileId, namespaces }: Run): RunTokenRequest {
  const profileId = profileOf({ permissionProfileId, starter });
  return {
    ...(starter.type === 'user' ? { userId: starter.id } : { clientId: starter.id }),
    ...(starter.appId !== undefined && { appId: starter.appId }),
    ...(profileId !== undefined && { profileId }),
    scopes: keptScopes(starter.scopes),
    runId: id,
    namespaces,
  };
}

/** Whom the token of the run names. */
function toPrincipal(run: Run): Principal {
  const { id, starter, namespaces } = run;
  const profileId = profileOf(run);
  return {
    type: starter.type,
    id: starter.id,
    ...(starter.appId !== undefined && { appId: starter.appId }),
    tokenId: '',
    scopes: keptScopes(starter.scopes),
    ...(profileId !== undefined && { profileId }),
    run: { id, namespaces },
  };
}

const profileOf = ({ permissionProfileId, starter }: Pick<Run, 'permissionProfileId' | 'starter'>): string | undefined => permissionProfileId ?? starter.profileId;
