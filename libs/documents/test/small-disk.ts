import type { FileHandle } from 'node:fs/promises';
import { SortSpace } from '../src';

type Write = (bytes: Buffer, from: number, length: number, at: number) => Promise<{ readonly bytesWritten: number }>;

/** A disk with room for so many bytes. As disks do, it takes a part of what is too much, and refuses the rest; it never takes more than `atOnce`. */
export class SmallDisk extends SortSpace {
  private readonly files: FileHandle[] = [];

  constructor(folder: string, private left = Number.POSITIVE_INFINITY, private readonly atOnce = Number.POSITIVE_INFINITY, mostBytes?: number) {
    super(folder, mostBytes);
  }

  /** How many files are open. */
  get open(): number {
    return this.files.filter(({ fd }) => fd >= 0).length;
  }

  override async file(): Promise<FileHandle> {
    const file = await super.file();
    this.files.push(file);
    const write = file.write.bind(file) as Write;
    const limited: Write = (bytes, from, length, at) => {
      if (this.left === 0) return Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
      const taken = Math.min(length, this.left, this.atOnce);
      this.left -= taken;
      return write(bytes, from, taken, at);
    };
    return Object.assign(file, { write: limited as FileHandle['write'] });
  }
}
