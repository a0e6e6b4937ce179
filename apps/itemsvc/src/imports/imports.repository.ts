import { Injectable } from '@nestjs/common';
import { notFound, unavailable } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import type { HoldRequest } from '@twinyard/jobs';
import { IMPORTS } from '../storage/collections';
import { own } from '../storage/filters';
import type { Checkpoint, ImportRecord } from './import';
import { ImportSpool } from './import-spool.repository';

/** Chunks that one transaction removes. */
const CHUNKS = 100;

/** Where no worker has it. */
const nobody: HoldRequest = () => Promise.resolve();

/** Files on their way in, with their chunks: reached through the durable request that their sender was given. */
@Injectable()
export class ImportsRepository {
  constructor(
    private readonly store: DocumentStore,
    private readonly spool: ImportSpool,
  ) {}

  async add(record: ImportRecord): Promise<void> {
    await this.store.transaction((tx) => this.store.insertMany(tx, IMPORTS, [record]));
  }

  async find(id: string, tx?: DocumentTx): Promise<ImportRecord | undefined> {
    const [found] = await this.store.find(IMPORTS, { filter: own({ _id: id }), limit: 1 }, tx);
    return found as ImportRecord | undefined;
  }

  /** False when it is gone. `hold`: of the worker that has it in hand. */
  async change(record: ImportRecord, hold: HoldRequest = nobody): Promise<boolean> {
    return this.store.transaction(async (tx) => {
      const { count } = await this.store.replaceMany(tx, IMPORTS, [record]);
      await hold(tx);
      return count === 1;
    });
  }

  /** In the transaction that writes the rows in between. Another worker that has gone on from the same place makes it fail. */
  async advance(tx: DocumentTx, id: string, from: Checkpoint, to: Checkpoint): Promise<void> {
    const current = await this.find(id, tx);
    if (current?.checkpoint.line !== from.line || current.checkpoint.done !== from.done) throw unavailable('Another worker has gone on with this import');
    await this.store.replaceMany(tx, IMPORTS, [{ ...current, checkpoint: to }]);
  }

  /** The next behind the id `after` of those that nothing has arrived for since `before`, in the order of their ids. */
  async untouchedSince(before: number, after: string, limit: number): Promise<ImportRecord[]> {
    return (await this.store.find(IMPORTS, { filter: own({ touchedAt: { $lt: before }, _id: { $gt: after } }), sort: { _id: 1 }, limit })) as ImportRecord[];
  }

  async inNamespace(namespace: string, limit: number): Promise<ImportRecord[]> {
    return (await this.store.find(IMPORTS, { filter: own({ _namespaces: namespace }), limit })) as ImportRecord[];
  }

  /** The next chunk of a file. Whoever removes the import meanwhile waits for it, or it finds the import gone. */
  async addChunk(record: ImportRecord, index: number, bytes: Buffer): Promise<void> {
    const chunk = await this.spool.prepare(record, index, bytes);
    const touched = { ...record, touchedAt: Date.now() };
    await this.store.transaction(async (tx) => {
      if ((await this.store.replaceMany(tx, IMPORTS, [touched])).count === 0) throw notFound('import', record._id);
      await this.spool.add(tx, record._id, chunk);
    });
  }

  /** Ends its durable request. */
  async end(finish: (tx: DocumentTx) => Promise<void>): Promise<void> {
    await this.store.transaction(finish);
  }

  /** Most chunks before the record, some at a time: what is stopped half way is found again. */
  async remove(id: string): Promise<void> {
    while (!(await this.spool.removeSome(id, CHUNKS)));
    await this.store.transaction(async (tx) => {
      await this.store.deleteMany(tx, IMPORTS, own({ _id: id }));
      await this.spool.removeAll(tx, id);
    });
  }
}
