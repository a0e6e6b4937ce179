import type { ConsoleLine } from '../script';

/** What a line costs beside its text: there must not be a million empty ones. */
const LINE_COST = 100;

/** Passes on what a script writes, as far as there is room. */
export class ConsoleLines {
  private dropped = 0;

  constructor(private room: number, private readonly tell: (line: ConsoleLine) => void) {}

  /** Characters that may still come. */
  get left(): number {
    return this.room;
  }

  add(level: ConsoleLine['level'], text: string): void {
    if (this.room <= 0) {
      this.dropped += 1;
      return;
    }
    const line = text.slice(0, this.room);
    this.room -= line.length + LINE_COST;
    this.tell({ level, text: line });
  }

  end(): void {
    if (this.dropped > 0) this.tell({ level: 'warn', text: `${this.dropped} more lines are left out` });
  }
}
