import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import type { ResourcesOf, ResourceState } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { FileEntity } from '../files/file.entity';
import { FilesEvents, isToldOf } from '../files/files.events';
import { FilesRepository } from '../files/files.repository';
import type { FileVersionEntity } from '../versions/file-version.entity';
import { VersionsRepository } from '../versions/versions.repository';

/** Nobody hears of these events: only what they say of their resource is wanted. */
const TOLD = { origin: { userId: 'filesvc', requestId: '' } };

/** Files with their versions, as the events tell of them. */
@Injectable()
export class FileAggregates {
  readonly topics = { 'filesvc.file': (keys: readonly string[]) => this.files(keys) } satisfies Record<string, ResourcesOf>;

  constructor(
    private readonly filesRepository: FilesRepository,
    private readonly versions: VersionsRepository,
    private readonly events: FilesEvents,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  private files(keys: readonly string[]): ReturnType<ResourcesOf> {
    const ids = keys.filter(isUuid);
    return this.unitOfWork.run(async (tx) => {
      const files = (await this.filesRepository.readMany(tx, ids)).filter((file) => file.type === 'file' && isToldOf(file));
      const versions = await this.versions.readByFile(tx, files.map(({ id }) => id));
      return new Map(files.map((file) => [file.id, this.resourcesOf(file, versions.get(file.id) ?? [])]));
    });
  }

  private resourcesOf(file: FileEntity, versions: readonly FileVersionEntity[]): ResourceState[] {
    return [
      { resource: this.events.file('created', TOLD, file).resource, ...timesOf(file) },
      ...versions.map((version) => ({ resource: this.events.version('created', TOLD, file, version).resource, ...timesOf(version) })),
    ];
  }
}

const timesOf = ({ createdAt, updatedAt }: FileEntity | FileVersionEntity) => ({ madeAt: createdAt.toISOString(), changedAt: updatedAt.toISOString() });
