import type { CellValue } from './cell-values';
import { looksLikeDecimalComma } from './cell-values';
import type { CsvColumn } from './csv-columns';

const MAX_NAMED = 10;

interface Cell {
  readonly line: number;
  readonly text: string;
}

interface Counted {
  count: number;
  readonly first: Cell[];
}

const none = (): Counted => ({ count: 0, first: [] });

/** What the cells of one column are: what is odd in it is told to whoever imports the file. */
export class ColumnTally {
  missing = 0;
  private numbers = 0;
  private readonly texts = none();
  private readonly large = none();
  private readonly commas = none();

  constructor(private readonly column: CsvColumn) {}

  take(value: CellValue, line: number): void {
    switch (value.kind) {
      case 'missing':
        this.missing += 1;
        return;
      case 'number':
        this.numbers += 1;
        return;
      case 'large':
        this.numbers += 1;
        return add(this.large, { line, text: value.value });
      case 'text':
        add(this.texts, { line, text: value.value });
        if (looksLikeDecimalComma(value.value)) add(this.commas, { line, text: value.value });
    }
  }

  /** Sentences for the log. */
  remarks(): string[] {
    const name = `Column ${JSON.stringify(this.column.name)}`;
    const { texts, commas, large } = this;
    // Of a column of texts that are none the commas are, and of one of numbers the texts.
    const areCommas = commas.count > 0 && commas.count >= texts.count / 2;
    return [
      ...(areCommas ? [`${name} looks like decimal commas in ${commas.count} cells, which are kept as texts: ${named(commas)}. With decimalSeparator "," they are numbers`] : []),
      ...(!areCommas && texts.count > 0 && this.numbers > texts.count ? [`${name} is numeric but for ${texts.count} of ${texts.count + this.numbers} cells, which are kept as texts: ${named(texts)}`] : []),
      ...(large.count > 0 ? [`${name} has ${large.count} whole numbers above 2^53, which are kept as texts: ${named(large)}`] : []),
    ];
  }
}

function add(counted: Counted, cell: Cell): void {
  counted.count += 1;
  if (counted.first.length < MAX_NAMED) counted.first.push(cell);
}

function named({ count, first }: Counted): string {
  const more = count > first.length ? `; and ${count - first.length} more` : '';
  return `${first.map(({ line, text }) => `line ${line} ${JSON.stringify(text.slice(0, 50))}`).join(', ')}${more}`;
}
