/**
 * Work under one name happens one after the other in this process. Writers of one collection would wait for its lock anyway;
 * here they wait without a database connection each, so a busy collection cannot take all of them from everybody else.
 */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === mine) this.last.delete(name);
    }
  }
}
