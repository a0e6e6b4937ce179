import { invalidField, type QueryValues, textParameter } from '@twinyard/conventions';
import { parseRowFormat, type RowFormat } from '../rows/row';
import { IMPORT_MODES, type ImportMode } from './import';

export interface ImportRequest {
  readonly format: RowFormat;
  readonly mode: ImportMode;
  readonly versionId: string | undefined;
}

export function parseImportRequest(query: QueryValues): ImportRequest {
  const text = textParameter(query, 'mode') || 'all';
  const mode = IMPORT_MODES.find((one) => one === text);
  if (mode === undefined) throw invalidField('mode', `must be ${IMPORT_MODES.join(' or ')}`);
  return { format: parseRowFormat(query), mode, versionId: textParameter(query, 'userItemVersionId') || undefined };
}
