import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { NamespaceEntity } from '../namespaces/namespace.entity';
import { Namespaces } from '../namespaces/namespaces.service';
import { GroupLifecycle, type NewGroup } from './group-lifecycle';

/** Namespaces of organizations and applications, each with its admin group. The methods answer keys for the change feed. */
@Injectable()
export class AdministeredNamespaces {
  constructor(
    private readonly namespaces: Namespaces,
    private readonly groups: GroupLifecycle,
  ) {}

  /** The admin group and the owners hold everything in the namespace, the owners also in that of the group. */
  async found(tx: TypeOrmTx, place: NamespaceEntity, admins: NewGroup, origin: EventOrigin): Promise<InvalidationKey[]> {
    const holders = [{ type: 'usergroup', id: admins.group.id } as const, ...admins.owners];
    const keys = await this.namespaces.found(tx, place, holders, origin.userId);
    return [...keys, ...(await this.groups.make(tx, admins, origin))];
  }

  /** With all groups that were made in it, and all that was granted there. */
  async remove(tx: TypeOrmTx, name: string, origin: EventOrigin): Promise<InvalidationKey[]> {
    const keys = await this.groups.removeIn(tx, name, origin);
    return [...keys, ...(await this.namespaces.remove(tx, name))];
  }
}
