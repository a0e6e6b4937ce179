import type { RequestContext } from '@twinyard/auth';
import type { MetadataRecord } from '@twinyard/conventions';

/** `_metadata` of something made now. */
export function newMetadata(ctx: RequestContext, at: number): MetadataRecord {
  const name = ctx.access.callerName;
  return {
    _createdAt: at, _updatedAt: at, _createdById: ctx.callerId, _updatedById: ctx.callerId,
    ...(name !== undefined && { _createdByName: name, _updatedByName: name }),
  };
}

/** `_metadata` of something changed now. */
export function touched(metadata: MetadataRecord, ctx: RequestContext, at: number): MetadataRecord {
  const { _createdAt, _createdById, _createdByName } = metadata;
  const name = ctx.access.callerName;
  return {
    _createdAt, _updatedAt: at, _createdById, _updatedById: ctx.callerId,
    ...(_createdByName !== undefined && { _createdByName }),
    ...(name !== undefined && { _updatedByName: name }),
  };
}
