import { writeSync } from 'node:fs';
import { invalid } from '@twinyard/conventions';

const HELD_CHARACTERS = 1_048_576;

/** What may still be written, in all files. */
export interface Room {
  readonly mostBytes: number;
  leftBytes: number;
}

/** Writes rows to an open file, as lines of JSON. Waits for the disk: nobody else wants anything of this process. */
export class PartWriter {
  private rows: string[] = [];
  private held = 0;
  private end = 0;

  constructor(private readonly fd: number, private readonly room: Room) {}

  add(row: unknown): void {
    const text = JSON.stringify(row);
    this.rows.push(text, '\n');
    this.held += text.length;
    if (this.held >= HELD_CHARACTERS) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.rows.join(''));
    [this.rows, this.held] = [[], 0];
    this.room.leftBytes -= bytes.length;
    if (this.room.leftBytes < 0) throw invalid(`The IFC file is too large to be read: what it holds takes more than ${Math.floor(this.room.mostBytes / 1_048_576)} MB`);
    // A disk that becomes full takes a part first.
    for (let written = 0; written < bytes.length;) written += writeSync(this.fd, bytes, written, bytes.length - written, this.end + written);
    this.end += bytes.length;
  }
}
