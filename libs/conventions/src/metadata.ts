/** `_metadata` (contract 0.2): written by the service alone. Times are epoch milliseconds. */
export interface MetadataRecord {
  readonly _createdAt: number;
  readonly _updatedAt: number;
  readonly _createdById: string;
  readonly _updatedById: string;
  readonly _createdByName?: string;
  readonly _updatedByName?: string;
}

/** Who made and last changed a record, and when. */
export interface Authored {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdById: string;
  readonly updatedById: string;
}

/** The facts of `_metadata` inside the services; some keep names beside the ids. */
export interface Authorship extends Authored {
  readonly createdByName?: string | null;
  readonly updatedByName?: string | null;
}

/** Of a record that is made now. */
export const authoredBy = (id: string, now = new Date()): Authored => ({ createdAt: now, updatedAt: now, createdById: id, updatedById: id });

export function toMetadata(source: Authorship): MetadataRecord {
  return {
    _createdAt: source.createdAt.getTime(),
    _updatedAt: source.updatedAt.getTime(),
    _createdById: source.createdById,
    _updatedById: source.updatedById,
    ...(source.createdByName && { _createdByName: source.createdByName }),
    ...(source.updatedByName && { _updatedByName: source.updatedByName }),
  };
}
