import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type DrawingProcess, type Drawn, NoPicture } from '@twinyard/previews';
import type { VersionOfFile } from '../versions/versions.repository';
import { KeepPreview } from './keep-preview';
import type { PreviewTask } from './preview';
import { PreviewInput } from './preview-input';
import { PreviewsRepository } from './previews.repository';
import { inTemporaryFolder } from './temporary-folder';

/** One version's picture: look what it is, fetch it, draw it, keep the picture. */
@Injectable()
export class MakePreview {
  constructor(
    private readonly previews: PreviewsRepository,
    private readonly input: PreviewInput,
    private readonly keep: KeepPreview,
  ) {}

  /** @throws NoPicture when there will be none; anything else may go well another time */
  async run(task: PreviewTask, owner: string, process: DrawingProcess): Promise<void> {
    const found = await this.previews.findVersion(task.versionId);
    // Deleted, and the task with it.
    if (found === undefined) return;
    await inTemporaryFolder(async (folder) => {
      const output = join(folder, 'picture');
      const drawn = await this.draw(found, folder, output, process);
      await this.keep.run({ task, owner, found, drawn }, () => createReadStream(output));
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
