import { type FlatMesh, IfcAPI } from 'web-ifc';

/** A void lies in what it is cut out of: it can be chosen, and hides nothing. */
const VOID_OPACITY = 0.1;

export interface MeshTerms {
  /** What is not among them is left out. */
  readonly products: ReadonlyMap<number, string>;
  readonly voids: ReadonlySet<number>;
}

type MeshCallback = Parameters<IfcAPI['StreamMeshes']>[2];

/**
 * Does `work`, during which every parser gives its meshes as the terms say. The converter makes its parsers itself and asks nobody about an entity,
 * so it is their prototype that answers; one without a GlobalId would end the conversion of all others.
 */
export async function withMeshes<T>({ products, voids }: MeshTerms, work: () => Promise<T>): Promise<T> {
  const { StreamMeshes: stream } = IfcAPI.prototype;
  IfcAPI.prototype.StreamMeshes = function (model, ids, callback) {
    const choose: MeshCallback = (mesh, index, total) => {
      if (!products.has(mesh.expressID) || mesh.geometries.size() === 0) return;
      callback(voids.has(mesh.expressID) ? seenThrough(mesh) : mesh, index, total);
    };
    return stream.call(this, model, ids, choose);
  };
  try {
    return await work();
  } finally {
    IfcAPI.prototype.StreamMeshes = stream;
  }
}

function seenThrough(mesh: FlatMesh): FlatMesh {
  const { expressID, geometries } = mesh;
  const size = () => geometries.size();
  const get = (index: number) => {
    const geometry = geometries.get(index);
    return { ...geometry, color: { ...geometry.color, w: VOID_OPACITY } };
  };
  const each = function* () {
    for (let index = 0; index < size(); index += 1) yield get(index);
  };
  return { expressID, geometries: { size, get, [Symbol.iterator]: each }, delete: () => mesh.delete() };
}
