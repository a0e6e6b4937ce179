import { Injectable } from '@nestjs/common';
import type { Slice } from '@twinyard/conventions';
import { joinWithin, type TypeOrmTx } from '@twinyard/service-kit';
import type { Permission } from '../permissions/permission.entity';
import { type PermissionDraft, PermissionsRepository, type PrincipalRef } from '../permissions/permissions.repository';
import type { ProfileWithPermissions } from './permission-profile.dto';
import type { PermissionProfileEntity } from './permission-profile.entity';

const principalOf = (id: string): PrincipalRef => ({ type: 'permprofile', id });

/** What profiles hold, kept with all other permissions. */
@Injectable()
export class ProfileGrants {
  constructor(private readonly permissions: PermissionsRepository) {}

  async join(profiles: readonly PermissionProfileEntity[]): Promise<ProfileWithPermissions[]> {
    const all = profiles.length === 0 ? [] : await this.permissions.grantsOf(profiles.map(({ id }) => principalOf(id)), '*');
    return profiles.map((profile) => ({ profile, permissions: all.filter(({ principalId }) => principalId === profile.id) }));
  }

  /** As far as an answer goes. */
  async joinSlice(slice: Slice<PermissionProfileEntity>): Promise<Slice<ProfileWithPermissions>> {
    const packed = await this.permissions.weightsOf(slice.rows.map(({ id }) => principalOf(id)));
    return joinWithin(slice, this.permissions.answerBytes, ({ id }) => packed.get(id), (some) => this.join(some));
  }

  async replace(tx: TypeOrmTx, profileId: string, drafts: readonly PermissionDraft[]): Promise<Permission[]> {
    await this.permissions.removeAllFor(tx, principalOf(profileId));
    const written = new Map<string, Permission>();
    for (const draft of drafts) {
      const permission = await this.permissions.grant(tx, draft);
      written.set(permission.id, permission);
    }
    return [...written.values()];
  }

  removeAll(tx: TypeOrmTx, profileId: string): Promise<void> {
    return this.permissions.removeAllFor(tx, principalOf(profileId));
  }
}
