import type { AnswerTerms, CsvText, ReadTable, ScriptTables, TableSource, TableTarget, TextForm, WrittenTable } from '../src';

interface WrittenFile {
  readonly target: TableTarget;
  readonly parts: (readonly unknown[])[];
  isFinished: boolean;
}

const refusal = (status: number, code: string, message: string) => Object.assign(new Error(message), { status, code });

/** Files whose rows a spec says, in the parts in which they come; what is written is kept as it was given. */
export class FakeTables implements ScriptTables {
  /** A text in the place of a part: the reading is refused with it. */
  readonly files = new Map<string, readonly (readonly unknown[] | string)[]>();
  readonly sources: TableSource[] = [];
  readonly written: WrittenFile[] = [];
  readonly texts: unknown[] = [];
  /** Parts that were asked for. */
  asked = 0;
  /** Tables that were opened and not closed. */
  openNow = 0;
  isRefused: (row: unknown) => boolean = () => false;
  /** Before a part is given, or a file is begun. */
  waiting: (signal: AbortSignal) => Promise<void> = async () => undefined;

  async open(source: TableSource, { signal }: AnswerTerms): Promise<ReadTable> {
    const parts = [...(this.files.get(source.fileId) ?? [])];
    if (!this.files.has(source.fileId)) throw refusal(404, 'not_found', `There is no file "${source.fileId}"`);
    this.sources.push(source);
    const next = async () => {
      this.asked += 1;
      await this.waiting(signal);
      const part = parts.shift();
      if (typeof part === 'string') throw refusal(400, 'invalid', part);
      return part && JSON.stringify(part);
    };
    return { next, close: this.opens() };
  }

  async create(target: TableTarget, { signal }: AnswerTerms): Promise<WrittenTable> {
    await this.waiting(signal);
    const file: WrittenFile = { target, parts: [], isFinished: false };
    this.written.push(file);
    return {
      append: async (rows) => {
        const bad = rows.findIndex((row) => this.isRefused(row));
        if (bad >= 0) throw refusal(400, 'invalid', `row ${bad + 1} is refused`);
        file.parts.push(rows);
      },
      finish: async () => {
        file.isFinished = true;
        return { _id: 'made', _name: target.name };
      },
      close: this.opens(),
    };
  }

  async parse(text: CsvText): Promise<string> {
    this.texts.push(text);
    return '[{"a":1}]';
  }

  async format(rows: readonly unknown[], form: TextForm): Promise<string> {
    this.texts.push({ rows, form });
    return 'a\n1\n';
  }

  /** Counts until it is called. */
  private opens(): () => Promise<void> {
    this.openNow += 1;
    let isOpen = true;
    return async () => {
      if (isOpen) this.openNow -= 1;
      isOpen = false;
    };
  }
}
