import type { Attributes } from '../xml/xml-feed';
import { type Reading, readPart } from './small-part';

export interface Relationship {
  readonly id: string;
  /** The last step of its address: `worksheet`, `sharedStrings`. Transitional and Strict files differ in what is before it. */
  readonly type: string;
  /** The name of a part. */
  readonly target: string;
}

/** The relations that start at a part, '' for the package itself; none where it says nothing of them. */
export async function readRelationships(reading: Reading, source: string): Promise<readonly Relationship[]> {
  const at = source.lastIndexOf('/') + 1;
  const [folder, file] = [source.slice(0, at), source.slice(at)];
  const name = `${folder}_rels/${file}.rels`;
  const found: Relationship[] = [];
  if (!reading.parts.has(name)) return found;
  const open = (element: string, attributes: Attributes) => {
    const { Id: id, Type: type = '', Target: target, TargetMode: mode } = attributes;
    if (element === 'Relationship' && id !== undefined && target !== undefined && mode !== 'External') found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolved(folder, target) });
  };
  await readPart(reading, name, reading.limits.smallPartBytes, { open });
  return found;
}

/** A path from a folder on, or from the root where it begins with a slash. */
function resolved(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of `${target.startsWith('/') ? '' : folder}${target}`.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}
