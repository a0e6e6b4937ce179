import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { XlsxFault } from '../xlsx-fault';
import { megabytes, type XlsxLimits } from '../xlsx-limits';

/** An OLE compound file: what Excel wrote before 2007, and what it writes under a password. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const ZIP = Buffer.from('PK');

/** The parts of an Office package (ISO/IEC 29500-2), by their names without the first slash. Names do not differ by case. */
export class PackageParts {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly limits: XlsxLimits,
  ) {}

  /** @throws XlsxFault */
  static async open(bytes: Buffer, limits: XlsxLimits): Promise<PackageParts> {
    if (bytes.subarray(0, COMPOUND.length).equals(COMPOUND)) throw new XlsxFault('The workbook has a password, or is one of Excel before 2007 (.xls); save it as .xlsx without a password');
    if (!bytes.subarray(0, ZIP.length).equals(ZIP)) throw new XlsxFault('The file is no workbook (.xlsx)');
    const zip = await asFault(fromBufferPromise(bytes, { autoClose: false, validateEntrySizes: true }));
    if (zip.entryCount > limits.parts) throw new XlsxFault(`The workbook has ${zip.entryCount} parts, and ${limits.parts} are read at most`);
    return new PackageParts(zip, await asFault(entriesOf(zip)), limits);
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  /** The bytes of a part as they are unpacked: no more than the package says that there are. @throws XlsxFault */
  async *read(name: string, maxBytes: number): AsyncGenerator<Buffer, void> {
    const entry = this.entries.get(name.toLowerCase());
    if (entry === undefined) throw new XlsxFault(`The workbook names a part that it does not have: ${name}`);
    this.requireFit(entry, maxBytes);
    const stream = await asFault(this.zip.openReadStreamPromise(entry));
    try {
      for await (const chunk of stream) yield chunk as Buffer;
    } catch (error) {
      throw toFault(error);
    } finally {
      stream.destroy();
    }
  }

  /** Unpacking ends with a fault at the first byte beyond what is asked here. */
  private requireFit(entry: Entry, maxBytes: number): void {
    const { fileName, compressedSize, uncompressedSize } = entry;
    const { ratio, unsuspiciousBytes } = this.limits;
    if (entry.isEncrypted() || !entry.canDecodeFileData()) throw new XlsxFault(`${fileName} is packed or encrypted in a way that no workbook is`);
    if (uncompressedSize > maxBytes) throw new XlsxFault(`${fileName} has ${megabytes(uncompressedSize)} when it is unpacked, and ${megabytes(maxBytes)} are read at most`);
    if (uncompressedSize > unsuspiciousBytes && uncompressedSize > ratio * compressedSize) {
      throw new XlsxFault(`${fileName} grows to more than ${ratio} times its size when it is unpacked, as only files do that are to do harm`);
    }
  }
}

async function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (entries.has(name)) throw new XlsxFault(`The workbook has two parts of the name ${entry.fileName}`);
    entries.set(name, entry);
  }
  return entries;
}

async function asFault<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toFault(error);
  }
}

/** What cannot be unpacked is the file's fault: nothing else is done here. */
const toFault = (error: unknown): XlsxFault => (error instanceof XlsxFault ? error : new XlsxFault('The workbook is damaged: it cannot be unpacked', { cause: error }));
