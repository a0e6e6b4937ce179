import { CsvFault } from './csv-fault';

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** By the marks that they begin with. */
const UTF16: readonly (readonly [label: string, mark: Buffer])[] = [['utf-16le', Buffer.from([0xff, 0xfe])], ['utf-16be', Buffer.from([0xfe, 0xff])]];

/**
 * The bytes of a text as UTF-8, chunk by chunk, without its byte order mark: of UTF-16 that has one, or of the encoding that is named (a label of the
 * WHATWG, `windows-1252`). Of others the bytes come as they are.
 */
export class TextChunks {
  private decode: ((chunk?: Buffer) => Buffer) | undefined;
  /** Of a mark that may not be whole yet. */
  private held: Buffer | undefined = Buffer.alloc(0);

  /** @throws CsvFault where there is no such encoding. */
  constructor(encoding?: string) {
    if (encoding === undefined) return;
    this.decode = decoderOf(encoding);
    this.held = undefined;
  }

  /** @throws CsvFault where the bytes are none of the encoding. */
  take(chunk: Buffer): Buffer {
    if (this.held === undefined) return this.decode?.(chunk) ?? chunk;
    const begun = Buffer.concat([this.held, chunk]);
    if (begun.length < UTF8_BOM.length) {
      this.held = begun;
      return Buffer.alloc(0);
    }
    return this.begin(begun);
  }

  end(): Buffer {
    const begun = this.held === undefined ? Buffer.alloc(0) : this.begin(this.held);
    return this.decode === undefined ? begun : Buffer.concat([begun, this.decode()]);
  }

  private begin(bytes: Buffer): Buffer {
    this.held = undefined;
    const label = UTF16.find(([, mark]) => bytes.subarray(0, 2).equals(mark))?.[0];
    if (label !== undefined) this.decode = decoderOf(label);
    if (this.decode !== undefined) return this.decode(bytes);
    return bytes.subarray(0, UTF8_BOM.length).equals(UTF8_BOM) ? bytes.subarray(UTF8_BOM.length) : bytes;
  }
}

/** It leaves out the mark. */
function decoderOf(label: string): (chunk?: Buffer) => Buffer {
  const decoder = decoderFor(label);
  return (chunk) => {
    try {
      return Buffer.from(chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }));
    } catch {
      throw new CsvFault(`the file is not ${label}`);
    }
  };
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  if (!isEncoding(label)) throw new CsvFault(`there is no encoding ${JSON.stringify(label)}`);
  return new TextDecoder(label, { fatal: true });
}

export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
