import { invalid, invalidField } from '@twinyard/conventions';

interface Closeable {
  close(): Promise<void>;
}

interface Entry<T> {
  readonly opening: Promise<T>;
  one?: T;
}

/** Things of one kind that a script has open, by their numbers. */
export class Numbered<T extends Closeable> {
  private readonly open = new Map<number, Entry<T>>();

  /** `tooMany`: what it is told that wants more. */
  constructor(private readonly most: number, private readonly tooMany: string) {}

  get size(): number {
    return this.open.size;
  }

  has(id: number): boolean {
    return this.open.has(id);
  }

  /** Counts from now on, also while it is being opened. */
  async add(id: number, opening: () => Promise<T>): Promise<void> {
    if (this.open.size >= this.most) throw invalid(this.tooMany);
    const entry: Entry<T> = { opening: opening() };
    this.open.set(id, entry);
    try {
      entry.one = await entry.opening;
    } catch (error) {
      this.open.delete(id);
      throw error;
    }
  }

  /** What it is refused closes it: there is no going on behind that. */
  async use<R>(id: number, work: (one: T) => Promise<R>): Promise<R> {
    const one = this.open.get(id)?.one;
    if (one === undefined) throw invalidField('id', 'names nothing that is open');
    try {
      return await work(one);
    } catch (error) {
      await this.close(id);
      throw error;
    }
  }

  /** Nothing where it is closed already. What is still being opened, which may take long, is closed when it is. */
  async close(id: number): Promise<void> {
    const entry = this.open.get(id);
    this.open.delete(id);
    const closed = entry?.opening.then((one) => one.close()).catch(() => undefined);
    if (entry?.one !== undefined) await closed;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.open.keys()].map((id) => this.close(id)));
  }
}
