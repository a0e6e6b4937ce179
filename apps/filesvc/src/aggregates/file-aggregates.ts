import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import type { ResourcesOf, ResourceState } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { FileEntity } from '../files/file.entity';
import { FilesEvents, isToldOf } from '../files/files.events';
import { FilesRepository } from '../files/files.repository';
import type { FileVersionEntity } from '../versions/file-version.entity';
import type { Preview } from '../previews/preview';
import { PreviewsRepository } from '../previews/previews.repository';
import { VersionsRepository } from '../versions/versions.repository';

/** Nobody hears of these events: only what they say of their resource is wanted. */
const TOLD = { origin: { userId: 'filesvc', requestId: '' } };

/** Files with their versions and pictures, as the events tell of them. */
@Injectable()
export class FileAggregates {
  readonly topics = { 'filesvc.file': (keys: readonly string[]) => this.files(keys) } satisfies Record<string, ResourcesOf>;

  constructor(
    private readonly filesRepository: FilesRepository,
    private readonly versions: VersionsRepository,
    private readonly previews: PreviewsRepository,
    private readonly events: FilesEvents,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  private files(keys: readonly string[]): ReturnType<ResourcesOf> {
    const ids = keys.filter(isUuid);
    return this.unitOfWork.run(async (tx) => {
      const files = (await this.filesRepository.readMany(tx, ids)).filter((file) => file.type === 'file' && isToldOf(file));
      const versions = await this.versions.readByFile(tx, files.map(({ id }) => id));
      const previews = await this.previews.readOfVersions(tx, [...versions.values()].flat().map(({ id }) => id));
      return new Map(files.map((file) => [file.id, this.resourcesOf(file, versions.get(file.id) ?? [], previews)]));
    });
  }

  private resourcesOf(file: FileEntity, versions: readonly FileVersionEntity[], previews: ReadonlyMap<string, Preview>): ResourceState[] {
    return [
      { resource: this.events.file('created', TOLD, file).resource, ...timesOf(file) },
      ...versions.map((version) => ({ resource: this.events.version('created', TOLD, file, version).resource, ...timesOf(version) })),
      ...versions.flatMap((version) => this.previewOf(file, version, previews.get(version.id))),
    ];
  }

  private previewOf(file: FileEntity, version: FileVersionEntity, preview: Preview | undefined): ResourceState[] {
    if (preview === undefined) return [];
    const madeAt = preview.createdAt.toISOString();
    return [{ resource: this.events.preview('created', TOLD, { file, version, preview }).resource, madeAt, changedAt: madeAt }];
  }
}

const timesOf = ({ createdAt, updatedAt }: FileEntity | FileVersionEntity) => ({ madeAt: createdAt.toISOString(), changedAt: updatedAt.toISOString() });
