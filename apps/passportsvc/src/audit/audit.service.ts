import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { beyondScope, type Paging, scopeAllows, type Slice } from '@twinyard/conventions';
import type { AuditEntry } from './audit-chain';
import { AuditEntriesRepository } from './audit-entries.repository';
import { PLATFORM_NAMESPACE } from './audit-fact';
import type { AuditFilter } from './audit-filter';

@Injectable()
export class Audit {
  constructor(private readonly entries: AuditEntriesRepository) {}

  /** Of the namespaces that the caller owns; one that it does not own is an empty one to it. */
  list(ctx: RequestContext, filter: AuditFilter, paging: Paging): Promise<Slice<AuditEntry>> {
    if (!scopeAllows(ctx.principal.scopes, 'READ')) throw beyondScope('READ');
    const wanted = filter.namespaces ?? [...ctx.access.namespaces, PLATFORM_NAMESPACE];
    return this.entries.list([...new Set(wanted)].filter((namespace) => mayRead(ctx, namespace)), filter, paging);
  }
}

/** What belongs to no tenant is for platform managers; what belongs to one is not. */
const mayRead = ({ access }: RequestContext, namespace: string) =>
  namespace === PLATFORM_NAMESPACE ? access.isPlatformManager : access.ownsNamespace(namespace);
