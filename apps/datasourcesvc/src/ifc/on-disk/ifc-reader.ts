import type { FileHandle } from 'node:fs/promises';
import { type Entering, OneAtATime, ScratchFolder } from '@twinyard/service-kit';
import { tooLargeToRead } from '../../platform-client/files-client';
import { type IfcLimits, readInProcess } from './ifc-process';
import { closeParts, ModelOnDisk, openParts } from './model-on-disk';
import { copySource, type IfcSource } from './source-copy';

const MEGABYTE = 1_048_576;
/** What a model takes on disk, in sizes of the largest file. */
const MODEL_SIZES = 4;

export interface IfcTerms extends IfcLimits {
  /** For what is read and what is made of it; by default that of the system for temporary files. */
  readonly folder?: string | undefined;
  /** The largest file. */
  readonly fileMb: number;
}

/** For whom a model is read. */
export interface IfcReading extends Entering {
  /** How much of the file has come. */
  downloaded(bytes: number): Promise<void>;
  /** How many of its things are read. */
  read(things: number, total: number): Promise<void>;
  /** For how long that has kept processors busy, in ms. */
  worked(ms: number): void;
}

/** Reads models from disk to disk, one at a time, each in a process of its own: neither its size nor its faults cost the service more than a place on the disk. */
export class IfcReader {
  private readonly scratch: ScratchFolder;
  private readonly turns = new OneAtATime();
  private readonly mostBytes: number;

  constructor(private readonly terms: IfcTerms) {
    this.scratch = new ScratchFolder('twinyard-ifc-', terms.folder);
    this.mostBytes = terms.fileMb * MEGABYTE;
  }

  /** Errors: `too_large` before anything is begun; `invalid` for what is the file's fault; `insufficient_storage`; `unavailable` for what may go well another time. */
  async read(source: IfcSource, reading: IfcReading): Promise<ModelOnDisk> {
    if ((source.known?.size ?? 0) > this.mostBytes) throw tooLargeToRead(this.mostBytes);
    const copy = await this.scratch.file();
    try {
      const size = await copySource(source, this.mostBytes, copy, reading.downloaded);
      return await this.turns.run(reading, () => this.parse(copy, size, reading));
    } finally {
      await copy.close();
    }
  }

  private async parse(source: FileHandle, bytes: number, { signal, read, worked }: IfcReading): Promise<ModelOnDisk> {
    const parts = await openParts(this.scratch);
    try {
      const head = await readInProcess({ source, parts, bytes, mostBytes: MODEL_SIZES * this.mostBytes }, this.terms, { signal, progress: read, worked });
      return new ModelOnDisk(head, parts);
    } catch (error) {
      await closeParts(parts);
      throw error;
    }
  }
}
