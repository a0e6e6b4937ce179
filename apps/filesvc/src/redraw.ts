// `node dist/apps/filesvc/src/redraw.js [<version>…]`, with the settings of filesvc; see USAGE.
import { jobsOn } from '@twinyard/jobs';
import { endWith, loadSettings, printLine, TypeOrmUnitOfWork, withDataSource } from '@twinyard/service-kit';
import { environment, filesvcSettings } from './config';
import { FileEntity } from './files/file.entity';
import { PreviewOrders } from './previews/preview-orders';
import { PreviewsRepository } from './previews/previews.repository';
import { FileVersionEntity } from './versions/file-version.entity';

const USAGE = `Orders the previews of versions anew of which none could be drawn, for instance under other limits, while filesvc runs.

  redraw               of all of them
  redraw <version>…    of these
`;

const BATCH = 500;
/** No user asked for it. */
const OPERATOR = { userId: 'filesvc', requestId: '' };

async function main(): Promise<number> {
  const ids = process.argv.slice(2);
  const settings = loadSettings(filesvcSettings, environment);
  return withDataSource({ url: settings.DATABASE_URL, entities: [FileEntity, FileVersionEntity] }, async (dataSource) => {
    const unitOfWork = new TypeOrmUnitOfWork(dataSource);
    const [previews, orders] = [new PreviewsRepository(dataSource), new PreviewOrders(jobsOn(unitOfWork))];
    let ordered = 0;
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const failed = await previews.failed(after, BATCH, ids.length > 0 ? ids : undefined);
      await unitOfWork.run((tx) => orders.order(tx, failed.map((version) => ({ ...version, origin: OPERATOR }))));
      ordered += failed.length;
      if (failed.length < BATCH) break;
      after = failed.at(-1)?.id ?? after;
    }
    printLine(JSON.stringify({ ordered }));
    return 0;
  });
}

endWith(main, { usage: USAGE });
