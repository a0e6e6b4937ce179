import { readStep } from '../src';

const HEAD = "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\nFILE_SCHEMA(('IFC4'));\nENDSEC;\nDATA;\n";
const FOOT = '\nENDSEC;\nEND-ISO-10303-21;\n';

/** A whole file around these entities, which begin in line 8. */
export const exchange = (entities: string) => `${HEAD}${entities}${FOOT}`;

/** The entities as a parser gets them, and the faults as `kind entity line`. */
export function read(entities: string | Buffer) {
  const bytes = Buffer.concat([Buffer.from(HEAD), Buffer.from(entities), Buffer.from(FOOT)]);
  const reading = readStep(bytes);
  const text = reading.bytes.toString();
  if (!text.startsWith(HEAD) || !text.endsWith(FOOT)) throw new Error('the header or the end is not as it was');
  const faults = [...reading.faults].flatMap(([kind, { places }]) => places.map(({ entity, line }) => `${kind} ${entity} ${line}`));
  return { reading, entities: text.slice(HEAD.length, -FOOT.length), faults };
}
