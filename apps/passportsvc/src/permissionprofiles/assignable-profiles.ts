import { Injectable } from '@nestjs/common';
import { Access, type AssignableProfileRequest, type AssignableProfileResponse, GrantSource } from '@twinyard/auth';
import type { Action } from '@twinyard/conventions';
import { PROFILE_TYPE, profileTarget } from './permission-profile.entity';
import { PermissionProfilesRepository } from './permission-profiles.repository';

/** Whether a caller may attach a profile to an orchestrator: datasourcesvc asks, which does not know profiles. */
@Injectable()
export class AssignableProfiles {
  constructor(
    private readonly profiles: PermissionProfilesRepository,
    private readonly grants: GrantSource,
  ) {}

  /** With the caller's rights of now, in all of the namespaces: runs act in each of them. */
  async judge({ principal, profileId, namespaces }: AssignableProfileRequest): Promise<AssignableProfileResponse> {
    const effective = await this.grants.resolve(principal);
    const access = new Access(effective, principal.scopes, namespaces);
    if (await this.reaches(access, 'ASSIGN', profileId, namespaces)) return { verdict: 'assignable' };
    return { verdict: (await this.reaches(access, 'READ', profileId, namespaces)) ? 'forbidden' : 'unknown' };
  }

  private async reaches(access: Access, action: Action, id: string, namespaces: readonly string[]): Promise<boolean> {
    const profile = await this.profiles.find(access.scope(action, PROFILE_TYPE), id);
    return profile !== undefined && namespaces.every((namespace) => profile.namespaces.includes(namespace) && access.holds(action, profileTarget([namespace], id)));
  }
}
