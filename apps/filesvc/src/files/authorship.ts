import type { RequestContext } from '@twinyard/auth';

/** Authorship of a record that the caller makes now. */
export const authoredBy = (ctx: RequestContext, now: Date) => ({ createdAt: now, createdById: ctx.callerId, createdByName: ctx.access.callerName ?? null, ...changedBy(ctx, now) });

/** What a change by the caller sets. */
export const changedBy = (ctx: RequestContext, now: Date) => ({ updatedAt: now, updatedById: ctx.callerId, updatedByName: ctx.access.callerName ?? null });
