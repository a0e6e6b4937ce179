import type { FileHandle } from 'node:fs/promises';
import { invalid } from '@twinyard/conventions';
import type { ScratchFolder } from '@twinyard/service-kit';
import { jsonLines } from '../../json-lines/json-lines';
import type { IfcElement } from '../ifc-model';
import { MODEL_PARTS, type ModelHead, type ModelPart, type PartRows } from './model-parts';

/** Read and parsed at a time. */
const CHUNK_BYTES = 262_144;
/** More than an item may have (16 MB). */
const MOST_ROW_BYTES = 64 * 1_048_576;

export type PartFiles = Readonly<Record<ModelPart, FileHandle>>;

/** Empty files for a model. */
export async function openParts(folder: ScratchFolder): Promise<PartFiles> {
  const opened = await Promise.allSettled(MODEL_PARTS.map((part) => folder.file().then((file) => [part, file] as const)));
  const files = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const parts = Object.fromEntries(files) as Record<ModelPart, FileHandle>;
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed === undefined) return parts;
  await closeParts(parts);
  throw failed.reason;
}

/** Gives the disk back: the files have no names. */
export const closeParts = async (parts: PartFiles): Promise<void> => void (await Promise.all(Object.values(parts).map((file) => file.close())));

/** A model that was read, on disk: however large it is, as much of it is in memory as is looked at. Must be closed. */
export class ModelOnDisk {
  constructor(readonly head: ModelHead, private readonly files: PartFiles) {}

  /** As often as one likes. */
  async *rows<P extends ModelPart>(part: P): AsyncGenerator<PartRows[P], void> {
    for await (const rows of jsonLines<PartRows[P]>(chunksOf(this.files[part]), MOST_ROW_BYTES, tooLong)) yield* rows;
  }

  /** With their properties. */
  async *elements(): AsyncGenerator<IfcElement, void> {
    const all = this.rows('properties');
    try {
      for await (const element of this.rows('elements')) {
        const { value } = await all.next();
        if (value?.key !== element.key) throw new Error('The parts of the model do not fit');
        yield { ...element, properties: value.properties };
      }
    } finally {
      await all.return();
    }
  }

  close(): Promise<void> {
    return closeParts(this.files);
  }
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array, void> {
  for (let at = 0;;) {
    const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(bytes, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield bytes.subarray(0, bytesRead);
  }
}

const tooLong = () => invalid('An entity of the IFC file is too large');
