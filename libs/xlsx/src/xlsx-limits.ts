const MEGABYTE = 2 ** 20;

/** What a workbook may cost whoever reads it. A file that wants more is refused; nothing of it is read on. */
export interface XlsxLimits {
  /** Parts of the package, which are the entries of a ZIP. */
  readonly parts: number;
  /** Of one part, unpacked. Asked of what the package says of itself, to which unpacking is held. */
  readonly partBytes: number;
  /** Of a part that is read as a whole: what the workbook says of itself, and its formats. */
  readonly smallPartBytes: number;
  /** To how many times its size a part may grow, once it is larger than `unsuspiciousBytes`. */
  readonly ratio: number;
  readonly unsuspiciousBytes: number;
  /** Of all shared texts together, in UTF-8. */
  readonly sharedBytes: number;
  readonly sharedTexts: number;
  /** Of one cell, in characters. A spreadsheet has 32,767. */
  readonly cellLength: number;
  /** Of one row, and of the rows that a chunk of the file holds, in characters: many cells may refer to one long text. */
  readonly rowLength: number;
  /** Processor time of one reading. */
  readonly milliseconds: number;
}

export const XLSX_LIMITS: XlsxLimits = {
  parts: 10_000,
  partBytes: 1_024 * MEGABYTE,
  smallPartBytes: 32 * MEGABYTE,
  ratio: 200,
  unsuspiciousBytes: 16 * MEGABYTE,
  sharedBytes: 128 * MEGABYTE,
  sharedTexts: 5_000_000,
  cellLength: 1_000_000,
  rowLength: 10_000_000,
  milliseconds: 300_000,
};

/** What a sheet has, by the format itself. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;

export const megabytes = (bytes: number): string => `${Math.floor(bytes / MEGABYTE)} MB`;
