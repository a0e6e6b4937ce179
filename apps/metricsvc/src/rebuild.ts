// `node dist/apps/metricsvc/src/rebuild.js [--history]`, with the settings of metricsvc; see USAGE.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { loadSettings, printLine, TypeOrmUnitOfWork, withDataSource } from '@twinyard/service-kit';
import { environment, metricsvcSettings } from './config';
import { HttpRebuildSources } from './rebuild/http-rebuild-sources.adapter';
import { RebuildMetrics } from './rebuild/rebuild-metrics';

const USAGE = `Computes the metrics anew from what the other services keep, while the platform runs.

  rebuild            corrects the current values; earlier points stay, those of what has been deleted too
  rebuild --history  throws all points away and makes them anew, from when things were made and last changed:
                     the history of what has been deleted is lost
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { history: { type: 'boolean', default: false } } });
  const settings = loadSettings(metricsvcSettings, environment);
  const sources = new HttpRebuildSources(settings);
  await withDataSource({ url: settings.DATABASE_URL }, async (dataSource) => {
    await new RebuildMetrics(sources, new TypeOrmUnitOfWork(dataSource)).run({ id: randomUUID(), history: values.history, report: printLine });
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exitCode = 1;
});
