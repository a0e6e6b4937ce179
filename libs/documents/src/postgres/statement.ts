import type { RowOfTexts } from './text-read.adapter';

/** Collects the parameters of one statement. All text that comes from a caller goes through `bind`. */
export class Statement {
  /** Set when the statement runs a regular expression, which must not hold the store (contract 0.1). */
  usesRegex = false;
  /**
   * Set when it finds single documents by their ids, to how its rows are read: it has one plan, whatever is bound, and planning is most of
   * what it costs.
   */
  byKey?: RowOfTexts;

  constructor(readonly parameters: unknown[] = []) {}

  bind(value: unknown): string {
    return `$${this.parameters.push(value)}`;
  }

  jsonpath(text: string): string {
    return `${this.bind(text)}::jsonpath`;
  }
}
