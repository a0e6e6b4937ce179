import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField, invalidFields, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { DeleteFiles } from './delete-files';
import { requireMatch } from './etag';
import type { FileEntity } from './file.entity';
import type { FileFilter } from './file-filter';
import { FileListRepository } from './file-list.repository';
import { FilesRepository } from './files.repository';

const MAX_DELETED = 1_000;

@Injectable()
export class FilesService {
  constructor(
    private readonly files: FilesRepository,
    private readonly lists: FileListRepository,
    private readonly deleteFiles: DeleteFiles,
  ) {}

  list(ctx: RequestContext, filter: FileFilter, paging: Paging): Promise<Slice<FileEntity>> {
    return this.lists.list(ctx.access.scope('READ', 'filesvc:file'), filter, paging);
  }

  async listChildren(ctx: RequestContext, parentId: string, filter: FileFilter, paging: Paging): Promise<Slice<FileEntity>> {
    const parent = await this.get(ctx, parentId);
    if (parent.type !== 'dir') throw invalidField('parent_id', 'names no folder');
    return this.list(ctx, { ...filter, parents: [parent.id] }, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<FileEntity> {
    const file = await this.files.find(ctx.access.scope('READ', 'filesvc:file'), id);
    if (file === undefined) throw notFound('file', id);
    return file;
  }

  async remove(ctx: RequestContext, id: string, ifMatch?: string): Promise<void> {
    const file = await this.get(ctx, id);
    await this.deleteFiles.run(ctx, [file], (current) => requireMatch(current, ifMatch));
  }

  /** All that the caller may see of them, or none. */
  async removeMany(ctx: RequestContext, ids: unknown): Promise<void> {
    const files = await this.files.findMany(ctx.access.scope('READ', 'filesvc:file'), parseIds(ids));
    if (files.length > 0) await this.deleteFiles.run(ctx, files);
  }
}

function parseIds(body: unknown): string[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be an array of ids');
  const issues = body.flatMap((id, index) => (typeof id === 'string' ? [] : [{ field: `[${index}]`, issue: 'must be a string' }]));
  if (issues.length > 0) throw invalidFields(issues);
  if (body.length > MAX_DELETED) throw invalidField('body', `must not name more than ${MAX_DELETED} files`);
  return body as string[];
}
