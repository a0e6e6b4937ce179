import type { Told } from './messages';

interface Held {
  readonly message: Told;
  readonly bytes: number;
  readonly sent: (() => void) | undefined;
}

/** Answers on their way into a thread. Its heap holds them until its script comes to them, so large ones go one after the other. */
export class WayIn {
  private readonly held: Held[] = [];
  private underWay = 0;

  /** `room`: bytes that may be under way together; a larger one goes alone. */
  constructor(private readonly send: (message: Told) => void, private readonly room: number) {}

  put(message: Told, bytes: number, sent?: () => void): void {
    this.held.push({ message, bytes, sent });
    this.go();
  }

  /** The script has come to all that was sent. */
  arrived(): void {
    this.underWay = 0;
    this.go();
  }

  private go(): void {
    for (let [next] = this.held; next !== undefined && this.fits(next.bytes); [next] = this.held) {
      this.held.shift();
      this.underWay += next.bytes;
      this.send(next.message);
      next.sent?.();
    }
  }

  private fits(bytes: number): boolean {
    return this.underWay === 0 || this.underWay + bytes <= this.room;
  }
}
