import { Injectable } from '@nestjs/common';
import { type Grant, type GrantResolveResponse, type InvalidationKey, NO_GRANTS } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import { GrantFeedRepository } from '../grant-feed/grant-feed.repository';
import { Liveness } from '../sessions/liveness';
import { displayNameOf, type UserEntity } from '../users/user.entity';
import { DirectoryRepository } from './directory.repository';
import { type HeldPermission, PermissionsRepository, type PrincipalRef } from './permissions.repository';

/** What a principal may do, read from the database, for the caches of all instances. */
@Injectable()
export class GrantResolver {
  constructor(
    private readonly permissions: PermissionsRepository,
    private readonly directory: DirectoryRepository,
    private readonly liveness: Liveness,
    private readonly feed: GrantFeedRepository,
  ) {}

  /** The number is read first: whatever changes while the rest is read has a higher one, and makes the answer stale. */
  async answer(principal: Principal, service: string): Promise<GrantResolveResponse> {
    const seq = await this.feed.currentSeq();
    return { seq, ...(await this.read(principal, service)) };
  }

  private async read(principal: Principal, service: string): Promise<Omit<GrantResolveResponse, 'seq'>> {
    const [{ alive, user }, groupIds] = await Promise.all([
      this.liveness.look(principal),
      principal.type === 'user' ? this.directory.groupIdsOf(principal.id) : [],
    ]);
    const keys = keysOf(principal, groupIds);
    if (!alive) return { effective: NO_GRANTS, keys };
    const grants = await this.permissions.heldBy(actingPrincipals(principal, groupIds), service === 'passportsvc' ? '*' : service);
    const organizations = await this.permissions.organizationsOf([...new Set(grants.map(({ namespace }) => namespace))]);
    return { effective: { ...identityOf(user), active: true, groupIds, grants: grants.map(toGrant), organizations }, keys };
  }
}

/** A run under a permission profile has that profile's rights alone (contract 5). */
function actingPrincipals(principal: Principal, groupIds: readonly string[]): PrincipalRef[] {
  if (principal.profileId !== undefined) return [{ type: 'permprofile', id: principal.profileId }];
  return [{ type: principal.type, id: principal.id }, ...groupIds.map((id) => ({ type: 'usergroup' as const, id }))];
}

function keysOf(principal: Principal, groupIds: readonly string[]): InvalidationKey[] {
  return [
    `${principal.type}:${principal.id}`,
    ...groupIds.map((id) => `usergroup:${id}`),
    ...(principal.sessionId === undefined ? [] : [`session:${principal.sessionId}`]),
    ...(principal.oauthGrantId === undefined ? [] : [`oauthgrant:${principal.oauthGrantId}`]),
    ...(principal.profileId === undefined ? [] : [`permprofile:${principal.profileId}`]),
  ];
}

export const identityOf = (user: UserEntity | undefined) => ({
  platformManager: user?.platformManager === true,
  ...(user && { name: displayNameOf(user), email: user.email, emailVerified: user.emailVerified }),
});

const toGrant = (permission: HeldPermission): Grant => ({
  permissionId: permission.id,
  namespace: permission.namespace,
  actions: permission.actions,
  irn: permission.irn,
  ...(permission.criteria !== null && { criteria: permission.criteria }),
  ...(permission.subresource !== null && { subresource: permission.subresource }),
  via: { type: permission.principalType, id: permission.principalId },
});
