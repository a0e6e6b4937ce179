// A process of its own, since Jest loads no three.js: what the reader of Fragments finds in the file at a path, as JSON.
import { SingleThreadedFragmentsModel } from '@thatopen/fragments';
import { readFileSync } from 'node:fs';

export interface DrawnElement {
  readonly localId: number;
  readonly globalId: string | null;
  readonly category: string | null;
  readonly triangles: number;
}

function read(path: string): DrawnElement[] {
  const model = new SingleThreadedFragmentsModel('read', readFileSync(path));
  const ids = model.getItemsIdsWithGeometry();
  const [globalIds, meshes] = [model.getGuidsByLocalIds(ids), model.getItemsGeometry(ids)];
  const categories = new Map(Object.entries(model.getItemsOfCategories([/./])).flatMap(([category, members]) => members.map((id) => [id, category] as const)));
  return ids.map((localId, at) => ({
    localId, globalId: globalIds[at] ?? null, category: categories.get(localId) ?? null,
    triangles: (meshes[at] ?? []).reduce((sum, { indices }) => sum + (indices?.length ?? 0) / 3, 0),
  }));
}

process.stdout.write(JSON.stringify(read(process.argv[2] ?? '')), () => process.exit(0));
