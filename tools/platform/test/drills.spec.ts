import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { runTour, type TourReport } from '../../tour/tour';
import { HAS_PROC, ROOT, RunningPlatform } from './running-platform';

const drill = HAS_PROC ? it : it.skip;

/** Which service dies at which step of the main job; the job must go on and end with the right counts. */
const DEATHS: Readonly<Record<string, (typeof SERVICES)[number][]>> = {
  'Create an application': ['passportsvc'],
  'Make a folder': ['filesvc', 'metricsvc'],
  "Upload the sensor's history": ['datasourcesvc', 'notificationsvc'],
  'Create a telemetry collection and its sensor': ['itemsvc', 'aisvc'],
  'Count what was imported': ['metricsvc', 'passportsvc'],
};
const DURING_IMPORT = ['itemsvc', 'datasourcesvc', 'filesvc'] as const;

describe('the platform under kill -9', () => {
  let platform: RunningPlatform;
  /** The main job with nothing in its way, done once. */
  let whole: Promise<TourReport> | undefined;
  beforeAll(async () => {
    platform = await RunningPlatform.start();
  }, 180_000);
  beforeEach(() => platform.ready(), 120_000);
  afterAll(() => platform?.remove(), 60_000);

  const tour = (print: (line: string) => void) =>
    runTour({
      baseUrl: platform.baseUrl, ...platform.admin, mailDir: platform.mailDir, print,
      model: join(ROOT, 'tools/sample/sample-building.ifc'), readings: join(ROOT, 'tools/sample/sample-readings.csv'),
    });

  drill('goes on with the main job whichever service dies between its steps, and counts right', async () => {
    const killed: string[] = [];
    const report = await tour((line) => {
      const step = Object.keys(DEATHS).find((title) => line.includes(title));
      for (const service of step === undefined ? [] : (DEATHS[step] ?? [])) {
        platform.kill(service);
        killed.push(service);
      }
    });
    expect(new Set(killed)).toEqual(new Set(SERVICES));
    expect(report.metrics).toMatchObject({ FileCount: 2, NamedUserCollectionCount: 4 });
    expect(report.mails).toBe(2);
  }, 240_000);

  drill.each(DURING_IMPORT)('finishes an import during which %s dies, with nothing twice', async (service) => {
    const undisturbed = await (whole ??= tour(() => undefined));
    const report = await tour((line) => {
      if (line.includes("Upload the sensor's history")) setTimeout(() => platform.kill(service), 400);
    });
    expect(report.model.totals).toEqual(undisturbed.model.totals);
    expect(report.metrics).toEqual(undisturbed.metrics);
  }, 240_000);

  drill('finishes the main job when the database server dies during it, with nothing lost and nothing twice', async () => {
    const undisturbed = await (whole ??= tour(() => undefined));
    const report = await tour((line) => {
      if (line.includes('Make a folder') || line.includes('Create a telemetry collection')) platform.killDatabase();
    });
    expect(report.model.totals).toEqual(undisturbed.model.totals);
    expect(report.readings.total).toBe(undisturbed.readings.total);
    expect(report.metrics).toEqual(undisturbed.metrics);
  }, 240_000);

  drill('stops in order and finds its data again', async () => {
    const before = await (whole ??= tour(() => undefined));
    expect(await platform.stop()).toBe(0);
    await platform.restart();
    const { owner } = before.project;
    expect(await owner.statusOf('GET', `/filesvc/api/v1/files/${before.files.model.id}`)).toBe(200);
    expect(await owner.get('/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount', { namespace: before.project.namespace })).toMatchObject({ metrics: [{ value: 2 }] });
  }, 180_000);
});
