import { CsvFault } from './csv-fault';

/** In the order in which they are preferred. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** A cell in quotes, in which nothing is a delimiter. */
const QUOTED = /"(?:[^"]|"")*"/g;

/**
 * The delimiter of a file by its header and its first row: the one that stands equally often in both, else the one that the header has most of; a comma
 * where there is none.
 */
export function findDelimiter(header: string, row: string | undefined): string {
  const counts = DELIMITERS.map((delimiter) => {
    const [inHeader, inRow] = [header, row ?? ''].map((text) => text.replace(QUOTED, '').split(delimiter).length - 1) as [number, number];
    return { delimiter, inHeader, isEqual: inHeader === inRow };
  }).filter(({ inHeader }) => inHeader > 0);
  const candidates = counts.some(({ isEqual }) => isEqual) ? counts.filter(({ isEqual }) => isEqual) : counts;
  return candidates.reduce((best, one) => (one.inHeader > best.inHeader ? one : best), candidates[0] ?? { delimiter: ',', inHeader: 0 }).delimiter;
}

/** One character of ASCII that can stand between cells. */
export const isDelimiter = (text: string): boolean => /^[\t\x20-\x7e]$/.test(text) && text !== '"';

export function requireDelimiter(text: string): string {
  if (!isDelimiter(text)) throw new CsvFault('delimiter must be one character of ASCII, and no quote');
  return text;
}
