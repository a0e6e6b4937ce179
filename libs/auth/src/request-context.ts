import type { Principal } from '@twinyard/conventions';
import type { Access } from './access';

/** The caller of one request: the first argument of every service method. */
export class RequestContext {
  constructor(
    readonly principal: Principal,
    readonly access: Access,
    readonly requestId: string,
    /** The caller's address, for the audit log. */
    readonly address: string,
  ) {}

  /** What `_createdById` and events name. */
  get callerId(): string {
    return this.principal.id;
  }

  /** Whom the events of what this request changes name; the address is for the audit log alone. */
  get origin(): { readonly userId: string; readonly requestId: string; readonly address: string } {
    return { userId: this.callerId, requestId: this.requestId, address: this.address };
  }

  /** `nsfilter`; an empty array where it is optional and missing. */
  get namespaces(): readonly string[] {
    return this.access.requestedNamespaces ?? [];
  }
}
