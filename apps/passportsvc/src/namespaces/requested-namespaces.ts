import type { RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';

/** Contract 0.1: a body's `_namespaces` outside `nsfilter`: 400. Those that a record lies in already may be sent back. */
export function requireRequested(ctx: RequestContext, wanted: readonly string[], field: string, before: readonly string[] = []): void {
  const requested = ctx.access.requestedNamespaces;
  const outside = wanted.find((namespace) => requested?.includes(namespace) === false && !before.includes(namespace));
  if (outside !== undefined) throw invalidField(field, `${outside} is not in nsfilter`);
}

/** What lies outside of nsfilter is not the request's business and stays. */
export function namespacesAfter(ctx: RequestContext, before: readonly string[], wanted: readonly string[]): string[] {
  requireRequested(ctx, wanted, '_namespaces', before);
  const untouched = before.filter((namespace) => ctx.access.requestedNamespaces?.includes(namespace) === false);
  return [...new Set([...wanted, ...untouched])];
}
