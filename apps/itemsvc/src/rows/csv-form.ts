import { invalidField, type QueryValues, textParameter } from '@twinyard/conventions';
import { type CellForm, type CsvDialect, isDelimiter, isEncoding } from '@twinyard/csv';

/** How a CSV file is written, as far as its sender says so. Kept with the import. */
export type CsvForm = CsvDialect & CellForm;

/** `encoding`, `delimiter`, `decimalSeparator` and `missingValues` (a JSON array) of a request. */
export function parseCsvForm(query: QueryValues): CsvForm {
  const [encoding, delimiter, decimalSeparator, missingValues] = ['encoding', 'delimiter', 'decimalSeparator', 'missingValues'].map((name) => textParameter(query, name) || undefined);
  return {
    ...(encoding !== undefined && { encoding: requireEncoding(encoding) }),
    ...(delimiter !== undefined && { delimiter: requireDelimiter(delimiter) }),
    ...(decimalSeparator !== undefined && { decimalSeparator: requireSeparator(decimalSeparator) }),
    ...(missingValues !== undefined && { missingValues: requireTexts(missingValues) }),
  };
}

function requireEncoding(label: string): string {
  if (!isEncoding(label)) throw invalidField('encoding', 'is not known here');
  return label;
}

function requireDelimiter(text: string): string {
  if (!isDelimiter(text)) throw invalidField('delimiter', 'must be one character of ASCII, and no quote');
  return text;
}

function requireSeparator(text: string): '.' | ',' {
  if (text !== '.' && text !== ',') throw invalidField('decimalSeparator', 'must be . or ,');
  return text;
}

function requireTexts(json: string): readonly string[] {
  try {
    const texts: unknown = JSON.parse(json);
    if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts as string[];
  } catch {
    // as below
  }
  throw invalidField('missingValues', 'must be a JSON array of texts');
}
