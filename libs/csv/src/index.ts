export type { CsvRow } from './csv-cells';
export { CsvCutter, type CsvDialect, MAX_ROW_BYTES } from './csv-cutter';
export { CsvFault } from './csv-fault';
export { readCsvRows } from './csv-rows';
export { isDelimiter } from './delimiter';
export { formatHeader, parseHeader, trimHeader } from './header-path';
export { type Cut, RowCutter } from './row-cutter';
export { LineFeeds } from './row-ends';
export { isEncoding } from './text-chunks';
