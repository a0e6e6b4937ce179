import { IFCFEATUREELEMENTSUBTRACTION, IFCPRODUCT } from 'web-ifc';
import { IfcFile, type IfcLine, ref, refs } from '../ifc/ifc-file';
import { readStructure } from '../ifc/ifc-structure';

export interface ModelProducts {
  readonly schema: string;
  /** The text as the converter is to be given it: what cannot be read is left out, and the numbers are the parser's. */
  readonly text: Uint8Array;
  /** Number of the entity → GlobalId. */
  readonly globalIds: ReadonlyMap<number, string>;
  /** Of them, those that have a body. */
  readonly withBody: ReadonlySet<number>;
  readonly nameless: number;
  /** Numbers of the classes that the products have. */
  readonly classes: ReadonlySet<number>;
  /** Those that are what is missing of others, as openings. */
  readonly voids: ReadonlySet<number>;
}

/** What a model has that may be seen. What is no IFC file throws `invalid`, as ifc_import says it. */
export async function readProducts(bytes: Uint8Array): Promise<ModelProducts> {
  const structure = readStructure(bytes);
  const file = await IfcFile.ofStructure(structure, () => bytes);
  try {
    const lines = [...file.lines(IFCPRODUCT)];
    const known = lines.flatMap((line) => {
      const globalId = file.text(line, 'GlobalId');
      return globalId === undefined || globalId === '' ? [] : [{ line, globalId }];
    });
    return {
      schema: file.schema,
      text: structure.bytes,
      globalIds: new Map(known.map(({ line, globalId }) => [line.expressID, globalId])),
      withBody: new Set(known.filter(({ line }) => hasBody(file, line)).map(({ line }) => line.expressID)),
      nameless: lines.length - known.length,
      classes: new Set(lines.map(({ type }) => type)),
      voids: new Set(known.filter(({ line }) => file.isA(line.type, IFCFEATUREELEMENTSUBTRACTION)).map(({ line }) => line.expressID)),
    };
  } finally {
    file.close();
  }
}

function hasBody(file: IfcFile, product: IfcLine): boolean {
  const shape = lineOf(file, ref(product, 'Representation'));
  if (shape === undefined) return false;
  return refs(shape, 'Representations').some((id) => {
    const representation = lineOf(file, id);
    return representation !== undefined && isBody(file.text(representation, 'RepresentationIdentifier'), file.text(representation, 'RepresentationType'));
  });
}

/** What IFC has names for and that is no body (IFC4, table of RepresentationIdentifier). */
const OTHERS = new Set(['axis', 'box', 'footprint', 'annotation', 'profile', 'plan', 'reference', 'clearance', 'lighting', 'cog', 'surveypoints']);
/** What has volumes or faces in space (IFC4, table of RepresentationType). */
const IN_SPACE = new Set([
  'sweptsolid', 'advancedsweptsolid', 'brep', 'advancedbrep', 'facetedbrep', 'csg', 'clipping', 'solidmodel', 'surfacemodel', 'tessellation', 'sectionedspine', 'surface3d', 'mappedrepresentation',
]);

/** By its name; what has a name of its own, or none, as programs write it (`Facetation`), by what it is made of. */
function isBody(name = '', type = ''): boolean {
  const known = name.toLowerCase();
  return known === 'body' || (!OTHERS.has(known) && IN_SPACE.has(type.toLowerCase()));
}

const lineOf = (file: IfcFile, id: number | undefined) => (id === undefined ? undefined : file.line(id));
