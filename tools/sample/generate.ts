/** Writes the sample that the product ships: `node tools/build.mjs && node dist/tools/sample/generate.js`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawPlan } from '@twinyard/previews/plan';
import { sampleBuilding } from './sample-building';
import { sampleReadings } from './sample-readings';

/** In the folder of the samples: file name → content. */
export const sampleFiles = (): Readonly<Record<string, string>> => ({
  'sample-building.ifc': sampleBuilding(),
  'sample-readings.csv': sampleReadings(),
});

/** The plan of the building, as the platform draws it, for the page at `/` and README.md. */
export const samplePlan = (): Promise<string> => drawPlan(Buffer.from(sampleBuilding()));
export const PLAN_FILE = 'tools/platform/gateway/front/plan.svg';

async function write(): Promise<void> {
  const root = join(__dirname, '../../..');
  for (const [name, content] of Object.entries(sampleFiles())) writeFileSync(join(root, 'tools/sample', name), content);
  writeFileSync(join(root, PLAN_FILE), await samplePlan());
}

if (require.main === module) void write();
