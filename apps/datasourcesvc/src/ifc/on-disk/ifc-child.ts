// A process of its own: it reads one file, writes what is in it to others, says so and ends. Whoever started it ends it when that takes too much.
import { readSync } from 'node:fs';
import { ServiceError } from '@twinyard/conventions';
import { serveParent } from '@twinyard/service-kit/child';
import { IfcFile } from '../ifc-file';
import { ModelReader } from '../read-ifc';
import { FIRST_FILE, type IfcAnswer, type IfcOrder, MODEL_PARTS, type ModelHead, type ModelPart } from './model-parts';
import { PartWriter, type Room } from './part-writer';

/** How often it says how far it is. */
const TELL_MS = 1_000;
/** At a time: the system takes no more than 2 GB. */
const CHUNK_BYTES = 64 * 1_048_576;

function readAll(fd: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length;) {
    const read = readSync(fd, bytes, at, Math.min(CHUNK_BYTES, length - at), at);
    if (read === 0) throw new Error('The file ends too early');
    at += read;
  }
  return bytes;
}

const say = (answer: IfcAnswer) => void process.send?.(answer);

class ModelWriting {
  private readonly counts = { types: 0, elements: 0, containers: 0, typed: 0, contained: 0, properties: 0 };
  private done = 0;
  private nextTell = 0;
  private readonly writers: Readonly<Record<ModelPart, PartWriter>>;

  constructor(private readonly file: IfcFile, private readonly reader: ModelReader, room: Room) {
    this.writers = Object.fromEntries(MODEL_PARTS.map((part, at) => [part, new PartWriter(FIRST_FILE + 1 + at, room)])) as Record<ModelPart, PartWriter>;
  }

  write(): ModelHead {
    const { types, elements, properties, containers } = this.writers;
    for (const type of this.counted('types', this.reader.types())) types.add(type);
    for (const { properties: some, ...element } of this.counted('elements', this.reader.elements())) {
      elements.add(element);
      properties.add({ key: element.key, properties: some });
      this.counts.properties += Object.keys(some).length;
      if (element.typeKey !== undefined) this.counts.typed += 1;
      if (element.containerKey !== undefined) this.counts.contained += 1;
    }
    for (const container of this.counted('containers', this.reader.containers())) containers.add(container);
    for (const part of MODEL_PARTS) this.writers[part].flush();
    return { schema: this.file.schema, counts: this.counts, report: this.file.report() };
  }

  private *counted<T>(what: 'types' | 'elements' | 'containers', all: Iterable<T>): Generator<T> {
    for (const one of all) {
      this.counts[what] += 1;
      this.done += 1;
      this.tell();
      yield one;
    }
  }

  private tell(): void {
    const now = Date.now();
    if (now < this.nextTell) return;
    this.nextTell = now + TELL_MS;
    say({ kind: 'progress', done: this.done, total: this.reader.count });
  }
}

async function read({ bytes, mostBytes }: IfcOrder): Promise<IfcAnswer> {
  try {
    const file = await IfcFile.open(() => readAll(FIRST_FILE, bytes));
    return { kind: 'model', head: new ModelWriting(file, new ModelReader(file), { mostBytes, leftBytes: mostBytes }).write() };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'refused', message: error.message };
    const { message, stack, code } = error as NodeJS.ErrnoException;
    return { kind: 'failed', error: { message: stack ?? message, code } };
  }
}

serveParent();
// With the answer it has done all that it is for: its memory goes at once.
void read(JSON.parse(process.argv[2] ?? '') as IfcOrder).then((answer) => process.send?.(answer, undefined, undefined, () => process.exit(0)));
