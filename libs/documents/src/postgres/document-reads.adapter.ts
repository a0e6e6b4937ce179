import { mapInTurns } from '@twinyard/conventions';
import type { StoredDocument } from '../document';
import type { DocumentTx, PageAnswer, TargetedQuery, TextRows } from '../document-store';
import { refuseHeavy } from '../heavy-answers';
import { parseProjection, project, takesIdOnly } from '../projection';
import { documentsIn, projectList, textRowsOf, toTextRow } from '../text-page';
import type { PgConnection } from './connection.adapter';
import type { HeavyPages } from './heavy-pages.adapter';
import { KnownDocuments } from './known-documents';
import { besideStatement, type CompiledFind, documentRows, isOneRow, PAGE_ROW, type PageRow, pageRows, pageStatement } from './page-statement';
import { unlessDropped } from './read-errors';
import { type CompiledPage, ReadyPages } from './ready-pages';
import { Statement } from './statement';
import type { RowOfTexts } from './text-read.adapter';
import { idRowsStatement, textRowsStatement, type TextRowsRow } from './text-rows-statement';

/** What the store makes of a query. */
type Compile = (statement: Statement, wanted: TargetedQuery, tx?: DocumentTx) => Promise<CompiledFind>;

/** Missing where it weighs too much, with those before it. */
interface DocumentRow {
  readonly doc: string | null;
}

/** Documents of one collection, and pages of them. */
export class DocumentReads {
  private readonly known = new KnownDocuments();
  private readonly ready = new ReadyPages();

  constructor(private readonly connection: PgConnection, private readonly heavy: HeavyPages, private readonly compile: Compile) {}

  async find(wanted: TargetedQuery, tx?: DocumentTx): Promise<StoredDocument[]> {
    const { documents, isCut } = await this.within(wanted, this.heavy.answerBytes, tx);
    if (isCut && wanted.mayBeCut !== true) throw refuseHeavy(this.heavy.answerBytes);
    return documents;
  }

  /** The first of what matches, as many as weigh `mostBytes`; one always. */
  async within(wanted: TargetedQuery, mostBytes: number, tx?: DocumentTx): Promise<{ readonly documents: StoredDocument[]; readonly isCut: boolean }> {
    const projection = wanted.projection && parseProjection(wanted.projection);
    const statement = new Statement();
    const find = await this.compile(statement, wanted, tx);
    if (isOneRow(find, wanted)) statement.byKey = DOCUMENT_ROW;
    const sql = takesIdOnly(projection) ? pageRows(statement, `${ID_ONLY} as doc`, find, wanted) : documentRows(statement, find, wanted, mostBytes);
    const rows = await this.connection.read<DocumentRow>(sql, statement, tx);
    const texts = rows.flatMap(({ doc }) => doc ?? []);
    const documents = await mapInTurns(texts, (text) => {
      const document = JSON.parse(text) as StoredDocument;
      return projection ? project(document, projection) : document;
    });
    return { documents, isCut: texts.length < rows.length };
  }

  async page(wanted: TargetedQuery, beside?: TargetedQuery): Promise<PageAnswer> {
    const { sql, statement, besideId } = this.ready.find(wanted, beside) ?? (await this.compilePage(wanted, beside));
    const rows = await this.connection.read<PageRow>(sql, statement);
    const { list, count = 1, total = 1, rest = null } = rows.find(({ paged }) => paged) ?? NO_ROW;
    const projection = wanted.projection && parseProjection(wanted.projection);
    const page = rest === null ? { list: projectList(list, projection), more: 0, isCut: false } : await this.heavy.list(wanted, [{ list, rest }], projection);
    return {
      list: page.list, count: count + page.more, total, ...(page.isCut && { isCut: true }),
      beside: rows.flatMap((row) => (row.paged ? [] : [this.known.parse(besideId, row.list)])),
    };
  }

  async textRows(wanted: TargetedQuery): Promise<TextRows> {
    const projection = wanted.projection && parseProjection(wanted.projection);
    const statement = new Statement();
    const find = await this.compile(statement, wanted);
    const sql = takesIdOnly(projection) ? idRowsStatement(statement, find, wanted) : textRowsStatement(statement, find, wanted, this.heavy.lightBytes);
    const [row] = await unlessDropped(this.connection.read<TextRowsRow>(sql, statement), []);
    const { ids, texts, total, rest } = row ?? NO_TEXTS;
    if (takesIdOnly(projection)) return { rows: ids.map((_id) => toTextRow({ _id })), total };
    const lines = ids.length === 0 ? [] : texts.split('\n');
    const light = projection === undefined ? { rows: lines.map((text, place) => ({ id: ids[place] as string, text })), total } : textRowsOf(documentsIn(lines.join(',')), total, projection);
    if (rest === null) return light;
    const weight = light.rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    const { rows, isCut } = await this.heavy.rest(wanted, rest, { weight, projection });
    return { rows: [...light.rows, ...rows], total, ...(isCut && { isCut }) };
  }

  private async compilePage(wanted: TargetedQuery, beside: TargetedQuery | undefined): Promise<CompiledPage> {
    const statement = new Statement();
    const find = await this.compile(statement, wanted);
    const isOne = isOneRow(find, wanted);
    const sql = pageStatement(statement, find, wanted, this.heavy.lightBytes);
    if (beside === undefined) {
      if (isOne) statement.byKey = PAGE_ROW;
      return { sql, statement };
    }
    const other = await this.compile(statement, beside);
    if (isOne && isOneRow(other, beside)) statement.byKey = PAGE_ROW;
    const page = { sql: `${sql} union all ${besideStatement(statement, other, beside, isOne)}`, statement, besideId: other.id };
    this.ready.keep(wanted, beside, page);
    return page;
  }
}

const DOCUMENT_ROW: RowOfTexts = ([doc = 'null']): DocumentRow => ({ doc });
const NO_TEXTS: TextRowsRow = { ids: [], texts: '', total: 0, rest: null };
const NO_ROW = { list: '', count: 0, total: 0, rest: null };

/** Who asks what is there needs no documents on the wire. */
const ID_ONLY = `jsonb_build_object('_id', id)::text`;
