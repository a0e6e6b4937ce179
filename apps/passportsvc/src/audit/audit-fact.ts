import { RequestContext } from '@twinyard/auth';
import { newUuid } from '@twinyard/conventions';

/** Who did it, and from where. Work that no user asked for names its service and has no address. */
export interface AuditActor {
  readonly id: string;
  /** The caller's own address as the gateway saw it; empty where there is none. */
  readonly address: string;
  readonly requestId: string;
}

/** Small facts beside the fields of the contract, such as who was given what. They are hashed too. Never a secret. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** What is told to the log. */
export interface AuditFact {
  /** An action of contract 0.4 or a word like them: `CREATE`, `SHARE`, `SIGN_IN`. */
  readonly action: string;
  readonly irn: string;
  /** Whose owners may read it; several: one entry in each. None: that of the platform itself. */
  readonly namespace?: string | readonly string[];
  readonly details?: AuditDetails;
}

/** One entry before it has its place in a chain. */
export interface AuditNote {
  readonly id: string;
  readonly namespace: string;
  readonly at: Date;
  readonly byId: string;
  readonly action: string;
  readonly irn: string;
  readonly address: string;
  readonly requestId: string;
  readonly details: AuditDetails | null;
}

/** Holds what belongs to no tenant. No namespace of the platform has such a name: they end in `_` and eight characters. */
export const PLATFORM_NAMESPACE = 'platform';

/** The notes of one fact: one in each of its namespaces. */
export function toNotes(by: RequestContext | AuditActor, { action, irn, namespace, details }: AuditFact, at: Date): AuditNote[] {
  const { id: byId, address, requestId } = by instanceof RequestContext ? { id: by.callerId, address: by.address, requestId: by.requestId } : by;
  return namespacesOf(namespace).map((name) => ({ id: newUuid(), namespace: name, at, byId, action, irn, address, requestId, details: details ?? null }));
}

export function namespacesOf(namespace: AuditFact['namespace']): readonly string[] {
  const names = typeof namespace === 'string' ? [namespace] : [...new Set(namespace)];
  return names.length === 0 ? [PLATFORM_NAMESPACE] : names;
}
