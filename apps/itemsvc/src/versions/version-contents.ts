import { Injectable } from '@nestjs/common';
import type { DocumentTx } from '@twinyard/documents';
import { ITEM_CLASSES, type NamedItem } from '../nameditems/named-item';
import { MembersRepository } from '../relatedcollections/members.repository';
import { RelationsRepository } from '../relationships/relations.repository';
import { Storage } from '../storage/storage';
import { UpdateLogsRepository } from '../updatelogs/update-logs.repository';
import { VersionsRepository } from './versions.repository';

/** What hangs on a version and goes with it. */
@Injectable()
export class VersionContents {
  constructor(
    private readonly versions: VersionsRepository,
    private readonly storage: Storage,
    private readonly relations: RelationsRepository,
    private readonly members: MembersRepository,
    private readonly logs: UpdateLogsRepository,
  ) {}

  /** Related items and readings are out of reach with the commit; `sweep` afterwards removes them, however many they are. */
  async remove(tx: DocumentTx, item: NamedItem, versionId: string): Promise<void> {
    if (ITEM_CLASSES[item._itemClass].holdsItems) await this.storage.markEmptied(tx, item._id, versionId);
    await this.removeVersions(tx, [versionId]);
  }

  sweep(): void {
    void this.storage.sweep();
  }

  /** All but related items and readings, which go with their whole collection when the item is deleted. */
  async removeVersions(tx: DocumentTx, versionIds: readonly string[]): Promise<void> {
    await this.relations.removeOfVersions(tx, versionIds);
    await this.members.removeOfVersions(tx, versionIds);
    await this.logs.removeOfVersions(tx, versionIds);
    await this.versions.removeMany(tx, versionIds);
  }
}
