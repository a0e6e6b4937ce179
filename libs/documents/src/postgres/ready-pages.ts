import type { TargetedQuery } from '../document-store';
import { idNamedIn, ParsedFilter, searchesText } from '../filter/ast';
import { PAGE_ROW } from './page-statement';
import { Statement } from './statement';

export interface CompiledPage {
  readonly sql: string;
  readonly statement: Statement;
  /** Of the one document that may stand beside it. */
  readonly besideId?: string | undefined;
}

interface ReadyPage extends Omit<CompiledPage, 'statement'> {
  /** Behind the partition and the id. */
  readonly parameters: readonly unknown[];
}

/** Who asks for documents of more collections beside one and the same query does not ask again and again. */
const MOST = 16;

/**
 * Statements for one document and one that stands beside it, by the query for the other: who hands over the very object again gets the statement that was made
 * for it. What a condition becomes that names its document follows from it alone, whatever indexes there are.
 */
export class ReadyPages {
  private readonly byQuery = new WeakMap<TargetedQuery, Map<string, ReadyPage>>();

  find(wanted: TargetedQuery, beside: TargetedQuery | undefined): CompiledPage | undefined {
    const page = beside && this.byQuery.get(beside)?.get(wanted.target.name);
    const id = page && idAskedFor(wanted);
    if (page === undefined || id === undefined) return undefined;
    const statement = new Statement([wanted.target.partition, id, ...page.parameters]);
    statement.byKey = PAGE_ROW;
    return { sql: page.sql, statement, besideId: page.besideId };
  }

  keep(wanted: TargetedQuery, beside: TargetedQuery, { sql, statement, besideId }: CompiledPage): void {
    if (statement.byKey === undefined || statement.usesRegex || idAskedFor(wanted) === undefined) return;
    if (!(beside.filter instanceof ParsedFilter) || searchesText(beside.filter.condition)) return;
    const pages = this.byQuery.get(beside) ?? new Map<string, ReadyPage>();
    this.byQuery.set(beside, pages);
    if (pages.size < MOST) pages.set(wanted.target.name, { sql, besideId, parameters: statement.parameters.slice(PARAMETERS_OF_ONE) });
  }
}

/** Partition and id. */
const PARAMETERS_OF_ONE = 2;

/** The id where nothing but it is asked for. */
function idAskedFor({ filter, sort, projection, skip = 0, limit }: TargetedQuery): string | undefined {
  const isPlain = filter instanceof ParsedFilter && filter.condition.kind === 'field' && sort === undefined && projection === undefined && skip === 0 && limit > 0;
  return isPlain && filter.condition.kind === 'field' && filter.condition.test.kind === 'equal' ? idNamedIn(filter.condition) : undefined;
}
