import { z } from 'zod';
import { parseAsked } from '../parse-asked';

const MOST_NAMES = 16_384;
const name = z.string().min(1).max(1_000);
const names = z.array(z.string().max(10_000)).max(MOST_NAMES);
const delimiter = z.string().length(1);

const reading = {
  missingValues: names.optional(),
  textColumns: names.default([]),
  /** False: rows are arrays, the first of them too. */
  header: z.boolean().default(true),
};
const csvReading = { ...reading, delimiter: delimiter.optional(), decimalSeparator: z.enum(['.', ',']).default('.') };
const ofCsvFile = z.strictObject({ ...csvReading, fileVersionId: name.optional(), encoding: name.optional() });
const ofWorkbook = z.strictObject({ ...reading, fileVersionId: name.optional(), sheet: name.optional(), headerRow: z.int().min(1).max(1_048_576).optional() });

const source = z.discriminatedUnion('format', [
  z.strictObject({ format: z.literal('csv'), fileId: name, options: ofCsvFile.prefault({}) }),
  z.strictObject({ format: z.literal('xlsx'), fileId: name, options: ofWorkbook.prefault({}) }),
]);
const csvText = z.strictObject({ text: z.string(), options: z.strictObject(csvReading).prefault({}) });

/** Rows of what file. */
export type TableSource = z.output<typeof source>;
export type CsvText = z.output<typeof csvText>;
export type TableFormat = TableSource['format'];
/** How cells and rows are read. */
export type CsvReading = CsvText['options'];
export type RowReading = Pick<CsvReading, 'header' | 'textColumns'>;

const writing = { columns: names.min(1).optional() };
const csvWriting = { ...writing, delimiter: delimiter.default(','), textColumns: names.default([]) };
const place = { parent: name.optional(), tags: z.array(z.string()).max(1_000).default([]), namespaces: z.array(name).min(1).optional() };

const target = z.discriminatedUnion('format', [
  z.strictObject({ format: z.literal('csv'), name, options: z.strictObject({ ...csvWriting, ...place, bom: z.boolean().default(false) }).prefault({}) }),
  z.strictObject({ format: z.literal('xlsx'), name, options: z.strictObject({ ...writing, ...place, sheet: z.string().optional() }).prefault({}) }),
]);
const formatted = z.strictObject({ json: z.string(), options: z.strictObject(csvWriting).prefault({}) });

/** A file that is made of rows. */
export type TableTarget = z.output<typeof target>;
export type TextForm = z.output<typeof formatted>['options'];

const id = z.object({ id: z.int() });
const part = z.object({ id: z.int(), json: z.string() });

// All of it may come from anywhere in a script. @throws ServiceError `invalid`
export const toTableSource = (asked: unknown): TableSource => parseAsked(source, asked);
export const toCsvText = (asked: unknown): CsvText => parseAsked(csvText, asked);
export const toTableTarget = (asked: unknown): TableTarget => parseAsked(target, asked);
export const toFormatted = (asked: unknown): z.output<typeof formatted> => parseAsked(formatted, asked);
export const toTableId = (asked: unknown): number => parseAsked(id, asked).id;
export const toTablePart = (asked: unknown): z.output<typeof part> => parseAsked(part, asked);
