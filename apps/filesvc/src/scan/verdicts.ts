import type { Outbox } from '@twinyard/events';
import type { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { statusOfTip } from '../files/file-status';
import type { FilesEvents } from '../files/files.events';
import type { FilesRepository } from '../files/files.repository';
import type { PreviewOrders } from '../previews/preview-orders';
import type { VersionsRepository } from '../versions/versions.repository';
import type { QuarantinedVersionsRepository, ScannedVersion } from './quarantined-versions.repository';

export interface VerdictStores {
  readonly unitOfWork: TypeOrmUnitOfWork;
  readonly files: FilesRepository;
  readonly versions: VersionsRepository;
  readonly scanned: QuarantinedVersionsRepository;
  readonly events: FilesEvents;
  readonly outbox: Outbox;
  readonly previews: PreviewOrders;
}

/** No user asked for it. */
const OPERATOR = { origin: { userId: 'filesvc', requestId: '' } };

/** What is said of a version after its upload: by another scan, or by an operator. */
export class Verdicts {
  constructor(private readonly stores: VerdictStores) {}

  /** With the status of its file, and with events. False when it says so already, or is gone. */
  async set({ fileId, versionId }: ScannedVersion, found: string | null): Promise<boolean> {
    const { unitOfWork, files, versions, scanned, events, outbox, previews } = this.stores;
    return unitOfWork.run(async (tx) => {
      const file = await files.lock(tx, fileId);
      const version = file && (await versions.readOfFiles(tx, [fileId])).find(({ id }) => id === versionId);
      if (file === undefined || version === undefined || version.quarantinedFor === found) return false;
      await scanned.mark(tx, versionId, found);
      version.quarantinedFor = found;
      if (found === null) await previews.order(tx, [{ id: versionId, namespaces: file.namespaces, origin: OPERATOR.origin }]);
      const isTip = file.tipId === versionId;
      if (isTip) {
        Object.assign(file, { status: statusOfTip(version), tip: version });
        await files.update(tx, file);
      }
      await outbox.append(tx, events.version('updated', OPERATOR, file, version), ...(isTip ? [events.file('updated', OPERATOR, file)] : []));
      return true;
    });
  }
}
