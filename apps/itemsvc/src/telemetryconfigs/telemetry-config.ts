import type { Target } from '@twinyard/auth';
import { formatIrn, type MetadataRecord } from '@twinyard/conventions';
import type { JsonObject, StoredDocument } from '@twinyard/documents';

/** Which readings are meant: those of the telemetry items that match, in the collections that the description selects. */
export interface Binding {
  readonly collectionDesc: JsonObject;
  /** On telemetry items; missing: all. */
  readonly query?: JsonObject;
}

/** As the wire has it. */
export interface ConfigData {
  readonly _bindings: readonly Binding[];
  /** The latest Script of this user type in the namespaces of the config. */
  readonly _normalizationScript?: { readonly _userType: string };
}

export interface TelemetryConfigDraft {
  readonly _name: string;
  readonly _shortName: string;
  readonly _userType: string;
  readonly _description?: string;
  readonly _namespaces: readonly string[];
  readonly _configData: ConfigData;
}

/** How readings are treated before they are stored; at most one a namespace. */
export interface TelemetryConfig extends TelemetryConfigDraft, StoredDocument {
  readonly _id: string;
  readonly _uri: string;
  readonly _irn: string;
  readonly _metadata: MetadataRecord;
}

export const CONFIG_TYPE = 'itemsvc:telemetryconfig';

export const configUri = (id: string) => `/telemetryconfigs/${id}`;
export const configIrn = (id: string) => formatIrn('itemsvc', 'telemetryconfig', id);

export const configTarget = ({ _id, _namespaces }: Pick<TelemetryConfig, '_id' | '_namespaces'>): Target => ({ type: CONFIG_TYPE, id: _id, namespaces: _namespaces });
export const newConfigTarget = (namespaces: readonly string[]): Target => ({ type: CONFIG_TYPE, id: '*', namespaces });
