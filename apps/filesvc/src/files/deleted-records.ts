import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { LooseBlobsRepository } from '../uploads/loose-blobs.repository';
import { VersionsRepository } from '../versions/versions.repository';
import type { FileEntity } from './file.entity';
import { FilesEvents, isToldOf } from './files.events';
import { FilesRepository } from './files.repository';

/** What is left to say and to clear away of records that are about to be deleted. */
@Injectable()
export class DeletedRecords {
  constructor(
    private readonly files: FilesRepository,
    private readonly versions: VersionsRepository,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly events: FilesEvents,
    private readonly outbox: Outbox,
  ) {}

  async release(tx: TypeOrmTx, ctx: RequestContext, ids: readonly string[]): Promise<void> {
    await this.files.lockMany(tx, ids);
    const files = await this.files.readMany(tx, ids);
    const versions = await this.versions.readByFile(tx, ids);
    await this.looseBlobs.releaseOfFiles(tx, ids);
    const eventsOf = (file: FileEntity) => [
      ...(versions.get(file.id) ?? []).map((version) => this.events.version('deleted', ctx, file, version)),
      ...(isToldOf(file) ? [this.events.file('deleted', ctx, file)] : []),
    ];
    await this.outbox.append(tx, ...files.flatMap(eventsOf));
  }
}
