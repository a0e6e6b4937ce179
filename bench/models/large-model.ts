import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the repository, from the build. */
export const ROOT = join(__dirname, '..', '..', '..');
const SAMPLE = join(ROOT, 'tools', 'sample', 'sample-building.ifc');
/** More than the sample has entities. */
const NUMBERS = 10_000;

/** The entities of the sample again and again, each time with numbers and GlobalIds of their own. */
export function largeModel(megabytes: number): Buffer {
  const [head = '', data = '', end = ''] = readFileSync(SAMPLE, 'latin1').split(/(?<=DATA;\r?\n)|(?=ENDSEC;\r?\nEND-ISO)/);
  const parts: Buffer[] = [Buffer.from(head, 'latin1')];
  const times = Math.ceil((megabytes * 1e6) / data.length);
  for (let time = 0; time < times; time++) parts.push(Buffer.from(renumbered(data, time), 'latin1'));
  return Buffer.concat([...parts, Buffer.from(end, 'latin1')]);
}

function renumbered(data: string, time: number): string {
  const mark = time.toString(36).padStart(5, '0');
  return data
    .replace(/#(\d+)/g, (_, number: string) => `#${Number(number) + time * NUMBERS}`)
    .replace(/\('([0-3][0-9A-Za-z_$]{16})[0-9A-Za-z_$]{5}'/g, (_, front: string) => `('${front}${mark}'`);
}
