import { Injectable } from '@nestjs/common';
import { keepAnswer, type RequestContext } from '@twinyard/auth';
import { newUuid } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { authoredBy } from './authorship';
import { toFileDto } from './file.dto';
import { FileEntity } from './file.entity';
import type { FolderDraft } from './file-draft.dto';
import { FilesEvents } from './files.events';
import { NewFiles } from './new-files';
import { nameTaken, Placement, requireWithinFilter } from './placement';

/** A folder on any existing name: 409. */
@Injectable()
export class CreateFolder {
  constructor(
    private readonly placement: Placement,
    private readonly newFiles: NewFiles,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly events: FilesEvents,
    private readonly outbox: Outbox,
  ) {}

  async run(ctx: RequestContext, draft: FolderDraft): Promise<FileEntity> {
    requireWithinFilter(ctx, draft.namespaces);
    const { name, namespaces, parentId, tags = [], userAttributes = {} } = draft;
    const columns = { id: newUuid(), name, namespaces, parentId, tags, userAttributes, type: 'dir' as const, status: 'UPLOAD_COMPLETED' as const, tipId: null, tip: null, nextVersion: 1, revision: 1 };
    const folder = Object.assign(new FileEntity(), columns, authoredBy(ctx, new Date()));
    await this.unitOfWork.run(async (tx) => {
      const place = await this.newFiles.openPlace(tx, draft);
      this.placement.requireCreate(ctx, place);
      if (!(await this.newFiles.insert(tx, place, folder))) throw nameTaken(name);
      await this.outbox.append(tx, this.events.file('created', ctx, folder));
      await keepAnswer(ctx, tx, () => ({ status: 200, body: toFileDto(folder) }));
    });
    return folder;
  }
}
