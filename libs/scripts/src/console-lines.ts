import type { ConsoleLine } from './script';

/** Keeps what a script writes, as far as there is room. */
export class ConsoleLines {
  private readonly kept: ConsoleLine[] = [];
  private dropped = 0;

  constructor(private room: number) {}

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
    // An empty line costs something too: there must not be a million of them.
    this.room -= line.length + 1;
    this.kept.push({ level, text: line });
  }

  get lines(): readonly ConsoleLine[] {
    if (this.dropped === 0) return this.kept;
    return [...this.kept, { level: 'warn', text: `${this.dropped} more lines are left out` }];
  }
}
