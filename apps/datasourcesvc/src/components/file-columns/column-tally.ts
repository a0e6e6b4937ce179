import { FirstOf } from '../remarks/first-of';
import { type ItemValue, looksLikeDecimalComma } from './cell-values';

interface Cell {
  readonly line: number;
  readonly text: string;
}

/** What the cells of one column are: what is odd in it is told to whoever imports the file. */
export class ColumnTally {
  missing = 0;
  private numbers = 0;
  private readonly texts = new FirstOf<Cell>();
  private readonly large = new FirstOf<Cell>();
  private readonly commas = new FirstOf<Cell>();
  private readonly errors = new FirstOf<Cell>();
  private readonly uncalculated = new FirstOf<Cell>();

  /** `place`: what the file has its rows by. */
  constructor(private readonly column: { readonly name: string }, private readonly place: 'line' | 'row' = 'line') {}

  take(value: ItemValue, line: number): void {
    switch (value.kind) {
      case 'missing':
        this.missing += 1;
        return;
      case 'number':
        this.numbers += 1;
        return;
      case 'large':
        this.numbers += 1;
        return this.large.add({ line, text: value.value });
      case 'text':
        this.texts.add({ line, text: value.value });
        if (looksLikeDecimalComma(value.value)) this.commas.add({ line, text: value.value });
        return;
      case 'error':
        return this.errors.add({ line, text: value.value });
      case 'uncalculated':
        return this.uncalculated.add({ line, text: '' });
      case 'other':
    }
  }

  /** Sentences for the log. */
  remarks(): string[] {
    const name = `Column ${JSON.stringify(this.column.name)}`;
    const { texts, commas, large, errors, uncalculated, place } = this;
    const named = (cells: FirstOf<Cell>) => cells.named(({ line, text }) => `${place} ${line}${text === '' ? '' : ` ${JSON.stringify(text.slice(0, 50))}`}`);
    // Of a column of texts that are none the commas are, and of one of numbers the texts.
    const areCommas = place === 'line' && commas.count > 0 && commas.count >= texts.count / 2;
    return [
      ...(areCommas ? [`${name} looks like decimal commas in ${commas.count} cells, which are kept as texts: ${named(commas)}. With decimalSeparator "," they are numbers`] : []),
      ...(!areCommas && texts.count > 0 && this.numbers > texts.count ? [`${name} is numeric but for ${texts.count} of ${texts.count + this.numbers} cells, which are kept as texts: ${named(texts)}`] : []),
      ...(large.count > 0 ? [`${name} has ${large.count} whole numbers above 2^53, which are kept as texts: ${named(large)}`] : []),
      ...(errors.count > 0 ? [`${name} has ${errors.count} cells that are errors, which are left out: ${named(errors)}`] : []),
      ...(uncalculated.count > 0 ? [`${name} has ${uncalculated.count} formulas for which the file has no value, which are left out: ${named(uncalculated)}. A spreadsheet that opens the file and saves it calculates them`] : []),
    ];
  }
}
