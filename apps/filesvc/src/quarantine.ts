// `node dist/apps/filesvc/src/quarantine.js list|rescan|release`, with the settings of filesvc; see USAGE.
import { Outbox, SqlOutboxStore } from '@twinyard/events';
import { jobsOn } from '@twinyard/jobs';
import { createLogger, endWith, loadSettings, TypeOrmUnitOfWork, withDataSource } from '@twinyard/service-kit';
import { openStore } from './blob-stores';
import { environment, filesvcSettings } from './config';
import { FileEntity } from './files/file.entity';
import { FileGraphics } from './files/file-graphics';
import { FilesEvents } from './files/files.events';
import { FilesRepository } from './files/files.repository';
import { PreviewOrders } from './previews/preview-orders';
import { BlobScan } from './scan/blob-scan';
import { runQuarantineCommand, USAGE } from './scan/quarantine-command';
import { QuarantinedVersionsRepository } from './scan/quarantined-versions.repository';
import { Verdicts } from './scan/verdicts';
import { FileVersionEntity } from './versions/file-version.entity';
import { VersionsRepository } from './versions/versions.repository';

async function main(): Promise<number> {
  const settings = loadSettings(filesvcSettings, environment);
  return withDataSource({ url: settings.DATABASE_URL, entities: [FileEntity, FileVersionEntity] }, async (dataSource) => {
    const scanned = new QuarantinedVersionsRepository(dataSource);
    const unitOfWork = new TypeOrmUnitOfWork(dataSource);
    const verdicts = new Verdicts({
      unitOfWork, previews: new PreviewOrders(jobsOn(unitOfWork)), files: new FilesRepository(dataSource), versions: new VersionsRepository(dataSource), scanned,
      events: new FilesEvents(new FileGraphics(settings)), outbox: new Outbox(new SqlOutboxStore()),
    });
    const scan = new BlobScan(await openStore(settings), settings, createLogger('filesvc', settings.LOG_LEVEL));
    const print = (line: object | string) => void process.stdout.write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`);
    return await runQuarantineCommand(process.argv.slice(2), { scanned, scan, verdicts, print });
  });
}

endWith(main, { usage: USAGE });
