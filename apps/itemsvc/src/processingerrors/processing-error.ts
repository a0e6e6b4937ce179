import { createHash } from 'node:crypto';
import type { JsonObject, Reading, StoredDocument } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';

/** Why readings were not stored. */
export interface ProcessingFault {
  readonly configId: string;
  readonly scriptId?: string;
  readonly message: string;
  readonly stack?: string;
  readonly console: readonly { readonly level: string; readonly text: string }[];
}

/** Readings that a normalization has failed for, as they came, so that they can be sent again. As the wire has it. */
export interface ProcessingError extends StoredDocument {
  readonly _userItemDbId: string;
  readonly _userItemId: string;
  readonly _userItemVersionId: string;
  readonly _itemClass: string;
  readonly _userType: string;
  readonly _namespaces: readonly string[];
  readonly _telemetryConfigId: string;
  readonly _scriptId?: string;
  readonly _message: string;
  readonly _stack?: string;
  readonly _console: readonly JsonObject[];
  readonly _readings: readonly Reading[];
  /** Epoch milliseconds of the last time. */
  readonly _at: number;
}

/** Readings in one record: a page of records has a bound then. */
const READINGS_EACH = 100;

/** The same readings that fail at the same place again are the same records: sent twice is the same. */
export function toProcessingErrors({ item, versionId }: Place, readings: readonly Reading[], fault: ProcessingFault, at: number): ProcessingError[] {
  const parts = Array.from({ length: Math.ceil(readings.length / READINGS_EACH) }, (_, part) => readings.slice(part * READINGS_EACH, (part + 1) * READINGS_EACH));
  return parts.map((part) => ({
    _id: createHash('sha256').update(JSON.stringify([versionId, part])).digest('hex').slice(0, 24),
    _userItemDbId: item._id, _userItemId: item._userItemId, _userItemVersionId: versionId, _itemClass: item._itemClass, _userType: item._userType, _namespaces: item._namespaces,
    _telemetryConfigId: fault.configId, ...(fault.scriptId !== undefined && { _scriptId: fault.scriptId }),
    _message: fault.message, ...(fault.stack !== undefined && { _stack: fault.stack }), _console: fault.console.map((line) => ({ ...line })),
    _readings: part, _at: at,
  }));
}
