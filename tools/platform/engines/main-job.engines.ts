import { join } from 'node:path';
import { onEngine, sharedData } from '@twinyard/testing';
import { runTour } from '../../tour/tour';
import { ROOT, RunningPlatform } from '../test/running-platform';
import { ENGINES, removeFromEngines, startOnEngines } from '../test/engine-platform';
import { answersOf, QUESTIONS } from '../test/questions';
import { eachWithoutIds } from '../test/same-answers';

const CASES = [
  { name: 'the sample that the product ships', model: join(ROOT, 'tools/sample/sample-building.ifc'), readings: join(ROOT, 'tools/sample/sample-readings.csv') },
  { name: 'duplex.ifc and ambient_temperature.csv of ../shared/data', model: sharedData('duplex.ifc'), readings: sharedData('ambient_temperature.csv') },
];
const isThere = ({ model, readings }: (typeof CASES)[number]) => model !== undefined && readings !== undefined;

type Answers = Readonly<Record<string, unknown>>;

/** The main job on every case there is, and what the platform then answers. */
async function answersTo(platform: RunningPlatform): Promise<Map<string, Answers>> {
  const answers = new Map<string, Answers>();
  for (const { name, model = '', readings = '' } of CASES.filter(isThere)) {
    const report = await runTour({ baseUrl: platform.baseUrl, ...platform.admin, model, readings, mailDir: platform.mailDir, print: () => undefined });
    // The tour waits for four of the counts alone; the others come by events too.
    await platform.settled();
    answers.set(name, eachWithoutIds(await answersOf(report)));
  }
  return answers;
}

onEngine(ENGINES, () => {
  describe('the main job', () => {
    let here: Map<string, Answers>;
    let there: Map<string, Answers>;

    beforeAll(async () => {
      const oneMachine = await RunningPlatform.start();
      here = await answersTo(oneMachine).finally(() => oneMachine.remove());
      const onEngines = await startOnEngines();
      there = await answersTo(onEngines).finally(() => removeFromEngines(onEngines));
    }, 900_000);

    describe.each(CASES)('on $name', (job) => {
      const proves = isThere(job) ? it : it.skip;

      proves.each(['tour', ...Object.keys(QUESTIONS)])('answers as on one machine: %s', (question) => {
        expect(here.get(job.name)?.[question]).not.toHaveProperty('failed');
        expect(there.get(job.name)?.[question]).toEqual(here.get(job.name)?.[question]);
      });
    });
  });
});
