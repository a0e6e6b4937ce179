// `node dist/apps/filesvc/src/usage.js [--recount]`, with the settings of filesvc; see USAGE.
import { parseArgs } from 'node:util';
import { endWith, loadSettings, withDataSource } from '@twinyard/service-kit';
import { environment, filesvcSettings } from './config';
import { FileCountsRepository } from './files/file-counts.repository';
import { NamespaceQuota } from './quota/namespace-quota';
import { NamespaceUsageRepository } from './quota/namespace-usage.repository';

const USAGE = `What each namespace holds and may hold, in bytes, a line of JSON each, while filesvc runs; and where numbers of files, which are totals of
lists, were counted wrongly. Exits with 1 when what was counted is not what is there.

  usage            compares what was counted with the files, versions and uploads under way
  usage --recount  and counts anew
`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { recount: { type: 'boolean', default: false } } });
  const settings = loadSettings(filesvcSettings, environment);
  return withDataSource({ url: settings.DATABASE_URL }, async (dataSource) => {
    const usage = new NamespaceUsageRepository(dataSource);
    const quota = new NamespaceQuota(usage, settings);
    const counts = new FileCountsRepository(dataSource);
    if (values.recount) await usage.recount();
    if (values.recount) await counts.recount();
    const rows = await usage.compare();
    for (const { namespace, held, counted } of rows) {
      const limit = quota.limitOf(namespace);
      process.stdout.write(`${JSON.stringify({ namespace, held, ...(limit !== undefined && { limit }), ...(counted !== held && { counted }) })}\n`);
    }
    const miscounted = await counts.differences();
    for (const row of miscounted) process.stdout.write(`${JSON.stringify(row)}\n`);
    return miscounted.length > 0 || rows.some(({ counted, held }) => counted !== held) ? 1 : 0;
  });
}

endWith(main, { usage: USAGE, failed: 2 });
