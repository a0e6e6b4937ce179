import { stringify } from 'csv-stringify/sync';

/** What spreadsheets take for a formula. */
const FORMULA = /^\\*[=+\-@\t\r]/;

/** Lines of a CSV file, of cells as they are to stand there. */
export const csvLines = (rows: readonly (readonly string[])[], delimiter: string): Buffer =>
  Buffer.from(stringify(rows as string[][], { delimiter, record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ }));

/** The name of a column, before which a backslash stands where a spreadsheet would take it for a formula … */
export const harmlessHeader = (name: string): string => (FORMULA.test(name) ? `\\${name}` : name);

/** … which is left out again where the file is read. */
export const plainHeader = (header: string): string => (header.startsWith('\\') && FORMULA.test(header) ? header.slice(1) : header);
