/** What an answer has to wait for that is told again: it may have been kept in its transaction, and whoever did the write not have come further. */
export abstract class BeforeReplay {
  abstract wait(): Promise<void>;
}
