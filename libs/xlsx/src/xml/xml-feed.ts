import { parser, type SAXOptions, type SAXParser } from 'sax';
import { XlsxFault } from '../xlsx-fault';

export type Attributes = Readonly<Record<string, string>>;

/** What a reader of a part hears, by names without their prefixes. A text may come in several pieces. */
export interface XmlReader {
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** No entities but those of XML itself. */
const OPTIONS: SAXOptions & { readonly strictEntities: true } = { strictEntities: true };
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 200;

/** Reads one part of XML, chunk by chunk. Nothing in it makes it grow: no DOCTYPE, no entities of its own, few levels and attributes. */
export class XmlFeed {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly parser: SAXParser;
  private depth = 0;
  private attributes = 0;

  constructor(private readonly part: string, reader: XmlReader) {
    this.parser = parser(true, OPTIONS);
    this.parser.onattribute = () => {
      this.attributes += 1;
      if (this.attributes > MAX_ATTRIBUTES) throw this.fault('an element has too many attributes');
    };
    this.parser.onopentag = ({ name, attributes }) => {
      this.attributes = 0;
      this.depth += 1;
      if (this.depth > MAX_DEPTH) throw this.fault('elements are nested too deep');
      reader.open(withoutPrefix(name), attributes as Attributes);
    };
    this.parser.onclosetag = (name) => {
      this.depth -= 1;
      reader.close?.(withoutPrefix(name));
    };
    this.parser.ontext = this.parser.oncdata = (text) => reader.text?.(text);
    this.parser.ondoctype = () => {
      throw this.fault('it has a DOCTYPE, which no workbook has');
    };
    this.parser.onerror = ({ message }) => {
      throw this.fault(message.split('\n', 1)[0] as string);
    };
  }

  /** @throws XlsxFault */
  take(chunk: Buffer): void {
    this.parser.write(this.decoded(chunk));
  }

  /** @throws XlsxFault where something is still open. */
  end(): void {
    this.parser.write(this.decoded());
    this.parser.close();
  }

  private decoded(chunk?: Buffer): string {
    try {
      return chunk === undefined ? this.decoder.decode() : this.decoder.decode(chunk, { stream: true });
    } catch {
      throw this.fault('it is not UTF-8');
    }
  }

  private fault(reason: string): XlsxFault {
    return new XlsxFault(`The workbook is damaged: ${this.part} cannot be read, ${reason}`);
  }
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

/** An attribute whatever its prefix is. */
export function attributeOf(attributes: Attributes, name: string): string | undefined {
  if (attributes[name] !== undefined) return attributes[name];
  const prefixed = Object.keys(attributes).find((key) => key.endsWith(`:${name}`));
  return prefixed === undefined ? undefined : attributes[prefixed];
}
