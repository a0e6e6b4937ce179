import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { Action } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { FileEntity } from './file.entity';
import { fileTarget } from './file-target';
import { FileTreeRepository } from './file-tree.repository';
import { FilesRepository } from './files.repository';

/** Records that are about to be changed. */
@Injectable()
export class LockedFiles {
  constructor(
    private readonly files: FilesRepository,
    private readonly tree: FileTreeRepository,
  ) {}

  /**
   * As they are now, kept from changing until the transaction ends; those that are gone are left out. 403 unless the caller may do this
   * with each, where it lies now: a move is in force when its answer is out.
   */
  async take(tx: TypeOrmTx, ctx: RequestContext, action: Action, ids: readonly string[]): Promise<FileEntity[]> {
    await this.files.lockMany(tx, ids);
    const files = await this.files.readMany(tx, ids);
    const above = await this.tree.readAncestorsOfMany(tx, files.map(({ id }) => id));
    for (const file of files) ctx.access.require(action, fileTarget(file, above.get(file.id) ?? []));
    return files;
  }

  /** The same of one that is locked, in each of its namespaces. */
  async requireInAll(tx: TypeOrmTx, ctx: RequestContext, action: Action, file: FileEntity): Promise<void> {
    ctx.access.requireInAll(action, fileTarget(file, await this.tree.readAncestors(tx, file.id)));
  }
}
