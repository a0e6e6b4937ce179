export { columnName, type XlsxCell, type XlsxRow } from './read/xlsx-cell';
export { type SheetRows, XlsxWorkbook } from './read/xlsx-workbook';
export { type WrittenCell, type WrittenSheet, writeXlsx } from './write/xlsx-writer';
export { XlsxFault } from './xlsx-fault';
export { MAX_COLUMNS, XLSX_LIMITS, type XlsxLimits } from './xlsx-limits';
