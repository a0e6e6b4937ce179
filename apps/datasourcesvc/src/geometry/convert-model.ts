import { IfcImporter, SingleThreadedFragmentsModel } from '@thatopen/fragments';
import { invalid, ServiceError } from '@twinyard/conventions';
import { dirname, join } from 'node:path';
import type { GeometryFigures } from './geometry-messages';
import { type ModelProducts, readProducts } from './model-products';
import { withMeshes } from './streamed-meshes';

export interface ConvertedModel {
  readonly bytes: Uint8Array;
  readonly figures: GeometryFigures;
}

/** How many are named. */
const FIRST = 10;

/**
 * One IFC file as one of Fragments; the same bytes for the same file and id. What is no IFC file throws `invalid`. Blocks its process for as long as it takes,
 * and may take all the memory that there is: a service has it done by `convertInProcess`.
 */
export async function convertModel(file: Uint8Array, id: string, tell: (percent: number) => void): Promise<ConvertedModel> {
  const products = await readProducts(file);
  if (products.withBody.size === 0) throw invalid('No element of the IFC file has a body, so there is no geometry to be made of it');
  const bytes = await convert(products, id, tell);
  return { bytes, figures: figuresOf(products, drawnIn(bytes)) };
}

async function convert(products: ModelProducts, id: string, tell: (percent: number) => void): Promise<Uint8Array> {
  const importer = new IfcImporter();
  importer.wasm = { path: join(dirname(require.resolve('web-ifc')), '/'), absolute: true };
  // Far from the origin is no reason to leave something out without a word.
  importer.distanceThreshold = null;
  for (const type of products.classes) importer.classes.elements.add(type);
  const work = () => importer.process({ bytes: products.text, id, progressCallback: (done) => tell(Math.floor(done * 100)) });
  try {
    return await withMeshes({ products: products.globalIds, voids: products.voids }, work);
  } catch (cause) {
    throw new ServiceError('invalid', 'The IFC file can be read, and its geometry cannot be converted', { cause });
  }
}

/** Numbers of what has triangles, as the reader of such files finds them: so it can also be opened. */
const drawnIn = (bytes: Uint8Array): ReadonlySet<number> => new Set(new SingleThreadedFragmentsModel('converted', bytes).getItemsIdsWithGeometry());

function figuresOf({ schema, globalIds, withBody, nameless }: ModelProducts, drawn: ReadonlySet<number>): GeometryFigures {
  const missing = [...withBody].filter((id) => !drawn.has(id)).map((id) => globalIds.get(id) ?? '');
  return {
    schema, elements: globalIds.size + nameless, withGeometry: [...globalIds.keys()].filter((id) => drawn.has(id)).length, nameless,
    withoutGeometry: { count: missing.length, first: missing.slice(0, FIRST) },
  };
}
