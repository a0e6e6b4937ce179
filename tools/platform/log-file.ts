import { mkdirSync, statSync } from 'node:fs';
import { appendFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const WRITE_EVERY_MS = 250;
/** What waits for a disk that does not keep up; more is left out, and said. */
const HELD_BYTES = 4 * 1024 * 1024;

export interface LogFileTerms {
  /** Above it the file becomes the first of those that are kept. */
  readonly maxBytes: number;
  /** Older ones: `<path>.1` is the youngest. */
  readonly kept: number;
}

/** A file of lines that its owner alone may read, and that takes no more than its terms. What cannot be written is lost, and nothing waits for it. */
export class LogFile {
  private lines: string[] = [];
  private held = 0;
  private lost = 0;
  private size: number;
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly path: string, private readonly terms: LogFileTerms) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(line: string): void {
    if (this.held + line.length > HELD_BYTES) {
      this.lost += 1;
      return;
    }
    this.lines.push(line);
    this.held += line.length;
    this.timer ??= setTimeout(() => this.flush(), WRITE_EVERY_MS);
  }

  async close(): Promise<void> {
    this.flush();
    await this.writing;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const text = this.takeText();
    if (text !== '') this.writing = this.writing.then(() => this.append(text)).catch(() => undefined);
  }

  private takeText(): string {
    const lost = this.lost === 0 ? [] : [JSON.stringify({ level: 'warn', time: new Date().toISOString(), service: 'platform', lost: this.lost, msg: 'lines could not be written' })];
    const text = [...this.lines, ...lost].map((line) => `${line}\n`).join('');
    this.lines = [];
    this.held = this.lost = 0;
    return text;
  }

  private async append(text: string): Promise<void> {
    if (this.size > 0 && this.size + text.length > this.terms.maxBytes) await this.rotate();
    await appendFile(this.path, text, { mode: 0o600 });
    this.size += text.length;
  }

  private async rotate(): Promise<void> {
    const names = [this.path, ...Array.from({ length: this.terms.kept }, (_, index) => `${this.path}.${index + 1}`)];
    await rm(names.at(-1) ?? '', { force: true });
    for (let index = names.length - 2; index >= 0; index -= 1) await rename(names[index] ?? '', names[index + 1] ?? '').catch(() => undefined);
    this.size = 0;
  }
}
