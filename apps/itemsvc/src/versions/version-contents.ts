import { Injectable } from '@nestjs/common';
import type { DocumentTx } from '@twinyard/documents';
import { ITEM_CLASSES, type NamedItem } from '../nameditems/named-item';
import { MembersRepository } from '../relatedcollections/members.repository';
import { RelatedItemsRepository } from '../relateditems/related-items.repository';
import { RelationsRepository } from '../relationships/relations.repository';
import { UpdateLogsRepository } from '../updatelogs/update-logs.repository';
import { VersionsRepository } from './versions.repository';

/** What hangs on a version and goes with it. */
@Injectable()
export class VersionContents {
  constructor(
    private readonly versions: VersionsRepository,
    private readonly related: RelatedItemsRepository,
    private readonly relations: RelationsRepository,
    private readonly members: MembersRepository,
    private readonly logs: UpdateLogsRepository,
  ) {}

  async remove(tx: DocumentTx, item: NamedItem, versionId: string): Promise<void> {
    if (ITEM_CLASSES[item._itemClass].holdsItems) await this.related.removeAll(tx, item._id, versionId);
    await this.removeVersions(tx, [versionId]);
  }

  /** All but related items and readings, which go with their whole collection when the item is deleted. */
  async removeVersions(tx: DocumentTx, versionIds: readonly string[]): Promise<void> {
    await this.relations.removeOfVersions(tx, versionIds);
    await this.members.removeOfVersions(tx, versionIds);
    await this.logs.removeOfVersions(tx, versionIds);
    await this.versions.removeMany(tx, versionIds);
  }
}
