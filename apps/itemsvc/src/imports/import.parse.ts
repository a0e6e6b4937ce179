import { invalidField, type QueryValues, textParameter } from '@twinyard/conventions';
import { type ConflictRule, parseConflictRule } from '../readings/same-instants';
import { type CsvForm, parseCsvForm } from '../rows/csv-form';
import { parseRowFormat, type RowFormat } from '../rows/row';
import { IMPORT_MODES, type ImportMode } from './import';

export interface ImportRequest {
  readonly format: RowFormat;
  readonly mode: ImportMode;
  readonly versionId: string | undefined;
  readonly form: CsvForm;
  readonly onConflict: ConflictRule | undefined;
}

export function parseImportRequest(query: QueryValues): ImportRequest {
  const text = textParameter(query, 'mode') || 'all';
  const mode = IMPORT_MODES.find((one) => one === text);
  if (mode === undefined) throw invalidField('mode', `must be ${IMPORT_MODES.join(' or ')}`);
  return { format: parseRowFormat(query), mode, versionId: textParameter(query, 'userItemVersionId') || undefined, form: parseCsvForm(query), onConflict: parseConflictRule(query) };
}
