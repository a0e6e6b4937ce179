/** A body that may break: what came before is read to its end first, so that it is not lost. */
export class ReceivedBody implements AsyncIterable<Buffer> {
  private broken: { readonly by: unknown } | undefined;

  constructor(private readonly body: AsyncIterable<Buffer>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      yield* this.body;
    } catch (error) {
      this.broken = { by: error };
    }
  }

  /** Once all is read: rejects with what broke the body, if anything did. */
  requireWhole(): void {
    if (this.broken !== undefined) throw this.broken.by;
  }
}
