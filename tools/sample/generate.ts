/** Writes the sample that the product ships: `node tools/build.mjs && node dist/tools/sample/generate.js`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleBuilding } from './sample-building';
import { sampleReadings } from './sample-readings';

/** File name → content. */
export const sampleFiles = (): Readonly<Record<string, string>> => ({
  'sample-building.ifc': sampleBuilding(),
  'sample-readings.csv': sampleReadings(),
});

if (require.main === module) {
  const folder = join(__dirname, '../../../tools/sample');
  for (const [name, content] of Object.entries(sampleFiles())) writeFileSync(join(folder, name), content);
}
