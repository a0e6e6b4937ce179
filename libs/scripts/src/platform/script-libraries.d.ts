/** Dates, and rows of files (docs/scripts.md, docs/scripts-tables.md). */
declare namespace Twinyard {
  /** A date, epoch milliseconds, or a text of ISO 8601. */
  type DateLike = Date | number | string;

  /** The clocks of a zone, from 1970 to 2100. */
  interface Zone {
    readonly name: string;
    readonly from: number;
    readonly to: number;
    /** Offsets in milliseconds, each from its instant on. */
    readonly changes: readonly (readonly [at: number, offset: number])[];
  }

  /** Without a zone everything is in UTC. */
  interface Dates {
    /** By its name in the IANA database, such as `Europe/Zurich`. */
    zone(name: string): Promise<Zone>;
    /** ISO 8601. Without an offset: by the clocks of the zone. @throws RangeError for what is no date, the 30th of February too */
    parse(text: string, zone?: Zone): Date;
    /** `yyyy MM dd HH mm ss SSS XXX` are replaced, `XXX` being the offset; ISO 8601 without a pattern. */
    format(date: DateLike, pattern?: string, zone?: Zone): string;
    /** Years, months, weeks and days by the calendar; the 31st of a month that has none is its last day. */
    add(date: DateLike, by: { readonly [unit in 'years' | 'months' | 'weeks' | 'days' | 'hours' | 'minutes' | 'seconds' | 'milliseconds']?: number }, zone?: Zone): Date;
    /** Of fixed length (a day has 24 hours) with fractions; months and years by the calendar, whole ones. */
    difference(later: DateLike, earlier: DateLike, unit?: 'milliseconds' | 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years', zone?: Zone): number;
    /** A week begins on Monday. */
    startOf(date: DateLike, unit: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year', zone?: Zone): Date;
  }

  interface ReadOptions {
    /** The latest without it. */
    readonly fileVersionId?: string | undefined;
  }

  interface RowOptions {
    /** Cells that hold no value beside the empty ones; else `NaN`, `nan`, `NA`, `N/A`, `#N/A`, `null`, `NULL`, `-`. */
    readonly missingValues?: readonly string[];
    /** By their names: columns whose cells are texts whatever they look like. */
    readonly textColumns?: readonly string[];
  }

  /** Rows as lists of their cells, the first of them too; `null` where a cell has no value. */
  type AsLists = { readonly header: false };
  type AsObjects = { readonly header?: true };

  interface CsvRowOptions extends RowOptions {
    /** Else the one of `,` `;` tab `|` that the first rows have. */
    readonly delimiter?: string;
    /** Where it is `,` thousands may have dots. */
    readonly decimalSeparator?: '.' | ',';
  }

  interface CsvFileOptions extends CsvRowOptions, ReadOptions {
    /** Else UTF-8, or UTF-16 with its mark. */
    readonly encoding?: string;
  }

  interface XlsxFileOptions extends RowOptions, ReadOptions {
    /** Its name; the first that is not hidden without it. */
    readonly sheet?: string;
    /** The row that names the columns, from 1; the first that holds something without it. */
    readonly headerRow?: number;
  }

  /** By the names of the columns, as the file has them; a cell without a value is no property. */
  type TableRow = Record<string, any>;
  /** To write: an array, or whatever else gives one row after the other. */
  type Rows = Iterable<object | readonly unknown[]> | AsyncIterable<object | readonly unknown[]>;

  interface WriteOptions {
    /** In this order, and no others. Without: all properties of the first thousand rows; rows that are lists have no names then. */
    readonly columns?: readonly string[];
  }

  interface CsvTextOptions extends WriteOptions {
    /** `,` without it. */
    readonly delimiter?: string;
    /** Columns of texts, in which digits need no quotes. */
    readonly textColumns?: readonly string[];
  }

  interface NewFileOptions {
    /** The folder; the root without it. */
    readonly parent?: string;
    readonly tags?: readonly string[];
    /** Those of the run without it. */
    readonly namespaces?: readonly string[];
  }

  /** Files have at most 50 MB. Four may be read at once, two files be written. */
  interface Csv {
    /** @throws CallError for a row that cannot be read, with its line */
    rows<Row extends object = TableRow>(fileId: string, options?: CsvFileOptions & AsObjects): List<Row>;
    rows(fileId: string, options: CsvFileOptions & AsLists): List<any[]>;
    /** The same name in the same folder is a new version. Nothing is made where the rows throw. */
    write(name: string, rows: Rows, options?: CsvTextOptions & NewFileOptions & { /** A byte order mark, by which some spreadsheets know UTF-8. */ readonly bom?: boolean }): Promise<PlatformFile>;
    /** Rows of a text of at most 10 MB. */
    parse<Row extends object = TableRow>(text: string, options?: CsvRowOptions & AsObjects): Promise<Row[]>;
    parse(text: string, options: CsvRowOptions & AsLists): Promise<any[][]>;
    /** A text of at most 10 MB. */
    stringify(rows: Rows, options?: CsvTextOptions): Promise<string>;
  }

  /** Files have at most 50 MB. One workbook may be read at once, for half an hour; dates are texts of ISO 8601. */
  interface Xlsx {
    /** @throws CallError for what is no workbook */
    rows<Row extends object = TableRow>(fileId: string, options?: XlsxFileOptions & AsObjects): List<Row>;
    rows(fileId: string, options: XlsxFileOptions & AsLists): List<any[]>;
    /** A workbook of one sheet, which is called as the file is without `sheet`. */
    write(name: string, rows: Rows, options?: WriteOptions & NewFileOptions & { readonly sheet?: string }): Promise<PlatformFile>;
  }
}
