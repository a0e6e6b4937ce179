import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { HeldJob } from '@twinyard/jobs';
import { type DrawingProcess, type Drawn, NoPicture, type Refusal } from '@twinyard/previews';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { VersionOfFile } from '../versions/versions.repository';
import { KeepPreview } from './keep-preview';
import { PreviewInput } from './preview-input';
import type { PreviewOrder } from './preview-job';
import { PreviewsRepository } from './previews.repository';
import { inTemporaryFolder } from './temporary-folder';

type HeldOrder = HeldJob<PreviewOrder, TypeOrmTx>;

/** One version's picture: look what it is, fetch it, draw it, keep the picture. */
@Injectable()
export class MakePreview {
  constructor(
    private readonly previews: PreviewsRepository,
    private readonly input: PreviewInput,
    private readonly keep: KeepPreview,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  /** @throws NoPicture when there will be none; anything else may go well another time */
  async run(held: HeldOrder, process: DrawingProcess): Promise<void> {
    const found = await this.previews.findVersion(held.payload.versionId);
    // Deleted, drawn already, or held by a scan: who lets it go orders its picture.
    if (found === undefined || found.version.previewId != null || found.version.quarantinedFor !== null) return;
    await inTemporaryFolder(async (folder) => {
      const output = join(folder, 'picture');
      const drawn = await this.draw(found, folder, output, process);
      await this.keep.run({ held, found, drawn }, () => createReadStream(output));
    });
  }

  /** Ends the job: there is no picture, and why. */
  async without(held: HeldOrder, why: Refusal): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      await this.previews.noteNone(tx, [{ versionId: held.payload.versionId, why }]);
      await held.finish(tx);
    });
  }

  private async draw({ version }: VersionOfFile, folder: string, output: string, process: DrawingProcess): Promise<Drawn> {
    const kind = await this.input.kindOf(version);
    if (kind === undefined) throw new NoPicture('has nothing to show');
    const input = join(folder, 'content');
    await this.input.fetch(version, kind, input);
    return process.draw({ kind, input, output });
  }
}
