import { createHash } from 'node:crypto';
import { canonicalJson } from '@twinyard/conventions';
import type { AuditDetails, AuditNote } from './audit-fact';

/** An entry at its place. The chain of a namespace is numbered from 1 without gaps. */
export interface AuditEntry extends AuditNote {
  readonly sequence: number;
  /** SHA-256 in hex, as `hash`; zeros for the first. */
  readonly previousHash: string;
  readonly hash: string;
}

/** The last entry of a chain. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: '0'.repeat(64) };

/** The entry as the API shows it. */
export interface AuditRecord {
  readonly _id: string;
  readonly _at: number;
  readonly _byId: string;
  readonly _action: string;
  readonly _irn: string;
  readonly _namespace: string;
  readonly _address: string;
  readonly _requestId: string;
  readonly _details?: AuditDetails;
  readonly _sequence: number;
  readonly _previousHash: string;
  readonly _hash: string;
}

export const toAuditRecord = (entry: AuditEntry): AuditRecord => ({ ...hashedFields(entry), _hash: entry.hash });

/** The hash of a record is that of all its other fields, so that whoever reads it can check it (docs/operations/audit.md). */
export const hashOf = (entry: Omit<AuditEntry, 'hash'>): string => createHash('sha256').update(canonicalJson({ ...hashedFields(entry) })).digest('hex');

/** Puts notes behind the head of their chain, in their order. */
export function chain(head: ChainHead, notes: readonly AuditNote[]): AuditEntry[] {
  let last = head;
  return notes.map((note) => {
    const place = { ...note, sequence: last.sequence + 1, previousHash: last.hash };
    last = { sequence: place.sequence, hash: hashOf(place) };
    return { ...place, hash: last.hash };
  });
}

const hashedFields = (entry: Omit<AuditEntry, 'hash'>): Omit<AuditRecord, '_hash'> => ({
  _id: entry.id, _at: entry.at.getTime(), _byId: entry.byId, _action: entry.action, _irn: entry.irn, _namespace: entry.namespace,
  _address: entry.address, _requestId: entry.requestId, ...(entry.details !== null && { _details: entry.details }),
  _sequence: entry.sequence, _previousHash: entry.previousHash,
});
