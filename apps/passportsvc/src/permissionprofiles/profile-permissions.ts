import type { RequestContext } from '@twinyard/auth';
import { type FieldIssue, invalidField, invalidFields, parseIrn, ServiceError } from '@twinyard/conventions';
import { notShareable } from '../permissions/not-shareable';
import type { Permission } from '../permissions/permission.entity';
import { parsePermission } from '../permissions/permission.dto';
import type { PermissionDraft } from '../permissions/permissions.repository';

const MAX_PERMISSIONS = 1_000;

/** The permissions of a profile as they are stored. `field`: where they stand in the body, for the names of faults. */
export function parseProfilePermissions(entries: readonly unknown[], profileId: string, createdById: string, field: string): PermissionDraft[] {
  if (entries.length > MAX_PERMISSIONS) throw invalidField(field, `a profile holds at most ${MAX_PERMISSIONS} permissions`);
  const issues: FieldIssue[] = [];
  const drafts = entries.flatMap((entry, index) => {
    try {
      const fields = typeof entry === 'object' && entry !== null ? entry : {};
      return [parsePermission({ ...fields, _user: { _type: 'permprofile', _id: profileId } }, createdById)];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      issues.push(...(error.details ?? []).map((detail) => ({ field: `${field}[${index}].${detail.field}`, issue: detail.issue })));
      return [];
    }
  });
  if (issues.length > 0) throw invalidFields(issues);
  return drafts;
}

/** SHARE rule (contract 0.4): what is placed in a profile must be the caller's to share. What it holds already was somebody's. */
export function requireShareable(ctx: RequestContext, drafts: readonly PermissionDraft[], held: readonly Permission[]): void {
  for (const draft of drafts) {
    if (held.some((permission) => isSame(permission, draft))) continue;
    if (!ctx.access.canShare(draft.actions, parseIrn(draft.irn), draft.namespace)) throw notShareable(draft);
  }
}

function isSame(permission: Permission, draft: PermissionDraft): boolean {
  const isWithin = draft.actions.every((action) => permission.actions.includes(action));
  return isWithin && permission.namespace === draft.namespace && permission.irn === draft.irn
    && sameJson(permission.criteria, draft.criteria) && sameJson(permission.subresource, draft.subresource);
}

const sameJson = (stored: unknown, sent: unknown) => JSON.stringify(stored ?? null) === JSON.stringify(sent ?? null);
