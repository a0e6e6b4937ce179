import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FilesvcSettings } from '../src/config';
import { FILES, type FileBody, type FilesvcUnderTest, NS } from './filesvc-under-test';

const ROOT = join(__dirname, '..', '..', '..');
export type StorePlace = Partial<FilesvcSettings>;

/** The settings of a place, as those of the second store. */
export const asSecondary = (place: StorePlace): StorePlace =>
  Object.fromEntries(Object.entries(place).map(([name, value]) => [name.replace(/^(BLOBS|S3)_/, '$1_SECONDARY_'), value])) as StorePlace;

export interface CommandRun {
  readonly lines: readonly Record<string, unknown>[];
  readonly code: number | null;
}

/** An operator's command as a process of its own, which may be killed. */
export class Command {
  readonly lines: Record<string, unknown>[] = [];
  private readonly process: ChildProcess;
  private errors = '';

  constructor(name: 'copy-store' | 'scrub', environment: Readonly<Record<string, string>>, ...args: string[]) {
    this.process = spawn(process.execPath, [join(ROOT, 'dist', 'apps', 'filesvc', 'src', `${name}.js`), '--json', ...args], { env: { PATH: process.env.PATH, ...environment } });
    this.process.stderr?.on('data', (text: Buffer) => (this.errors += text.toString()));
    if (this.process.stdout) createInterface({ input: this.process.stdout }).on('line', (line) => this.lines.push(JSON.parse(line) as Record<string, unknown>));
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  async ended(): Promise<CommandRun> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
    if (this.process.exitCode === 2) throw new Error(this.errors);
    return { lines: this.lines, code: this.process.exitCode };
  }
}

/** An upload in pieces. */
export class PieceByPiece {
  private sent = 0;

  private constructor(readonly file: FileBody, readonly bytes: Buffer) {}

  static async begin(filesvc: FilesvcUnderTest, name: string, bytes: Buffer): Promise<PieceByPiece> {
    const meta = { _size: bytes.length, _checksum: sha256(bytes) };
    const { body } = await filesvc.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: name, _namespaces: [NS], _uploadMeta: meta }).expect(200);
    return new PieceByPiece(body as FileBody, bytes);
  }

  async send(filesvc: FilesvcUnderTest, length: number): Promise<void> {
    const url = `${filesvc.url}${FILES}/${this.file._id}?uploadType=resumable&checksum=${sha256(this.bytes)}&nsfilter=${NS}`;
    const headers = { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(this.sent) };
    const answer = await fetch(url, { method: 'PATCH', headers, body: this.bytes.subarray(this.sent, this.sent + length) });
    if (answer.status !== 204) throw new Error(`a piece was answered ${answer.status}: ${await answer.text()}`);
    this.sent += Math.min(length, this.bytes.length - this.sent);
  }
}

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** People at work: they upload, read, delete, and send in pieces, at any of some processes; each answer is what it should be. */
export class Traffic {
  readonly kept = new Map<string, { readonly file: FileBody; readonly bytes: Buffer }>();
  readonly deleted: FileBody[] = [];
  rounds = 0;
  failure: unknown;
  /** Never deleted: people at a quick machine delete faster than a slow copy copies. */
  private readonly lasting = new Set<string>();
  private isOver = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private processes: readonly FilesvcUnderTest[]) {}

  moveTo(...processes: FilesvcUnderTest[]): void {
    this.processes = processes;
  }

  start(): void {
    this.running = this.work();
    this.running.catch((error: unknown) => { this.failure = error; });
  }

  /** Rejects with the first answer that was wrong. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  async upload(size: number, { lasts = false } = {}): Promise<void> {
    const bytes = randomBytes(size);
    const file = await this.any().upload(`file ${this.kept.size + this.deleted.length} ${sha256(bytes).slice(0, 8)}.bin`, bytes);
    this.kept.set(file._id, { file, bytes });
    if (lasts) this.lasting.add(file._id);
  }

  /** At this process, all that should be there, as it should be. */
  async requireAll(filesvc: FilesvcUnderTest): Promise<void> {
    for (const id of this.kept.keys()) await this.read(filesvc, id);
    for (const { _id } of this.deleted) await filesvc.as('owner', 'get', `${FILES}/${_id}`).expect(404);
  }

  private async work(): Promise<void> {
    for (; !this.isOver; this.rounds += 1) {
      await this.upload(randomInt(100_000));
      await this.read(this.any(), this.some());
      await this.pieces();
      await this.read(this.any(), this.some());
      await this.remove(this.some());
    }
  }

  private async pieces(): Promise<void> {
    const bytes = randomBytes(50_000);
    const upload = await PieceByPiece.begin(this.any(), `pieces ${this.rounds}.bin`, bytes);
    for (let sent = 0; sent < 2; sent += 1) await upload.send(this.any(), 25_000);
    this.kept.set(upload.file._id, { file: upload.file, bytes });
  }

  private async remove(id: string): Promise<void> {
    const found = this.kept.get(id);
    if (found === undefined || this.lasting.has(id)) return;
    this.kept.delete(id);
    await this.any().as('owner', 'delete', `${FILES}/${id}`).expect(204);
    this.deleted.push(found.file);
  }

  private async read(filesvc: FilesvcUnderTest, id: string): Promise<void> {
    const found = this.kept.get(id);
    if (found === undefined) return;
    const answer = await fetch(filesvc.url + (await filesvc.address(found.file)));
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 200 || !bytes.equals(found.bytes)) throw new Error(`${found.file._name}: ${answer.status}, ${bytes.length} of ${found.bytes.length} bytes`);
  }

  private any(): FilesvcUnderTest {
    return this.processes[randomInt(this.processes.length)] as FilesvcUnderTest;
  }

  private some(): string {
    return [...this.kept.keys()][randomInt(this.kept.size)] ?? '';
  }
}
