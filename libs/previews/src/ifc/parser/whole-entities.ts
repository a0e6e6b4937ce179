const [HASH, QUOTE, OPEN, CLOSE, STAR, SLASH, END] = Buffer.from("#'()*/;") as unknown as [number, number, number, number, number, number, number];

/**
 * Whether every entity of the file has its attributes in brackets that match (ISO 10303-21). Of one that has not, the parser looks for
 * the end until it is killed, though a glance at the text tells.
 */
export function hasWholeEntities(file: Buffer): boolean {
  const statement = new Statement();
  for (let at = 0; at < file.length; at++) {
    const byte = file[at] as number;
    if (byte === QUOTE) at = endOf("'", file, at + 1);
    else if (byte === SLASH && file[at + 1] === STAR) at = endOf('*/', file, at + 2);
    else if (!statement.takes(byte)) return false;
  }
  return true;
}

/** What is left open is for the parser to refuse. */
function endOf(mark: string, file: Buffer, from: number): number {
  const at = file.indexOf(mark, from);
  return at < 0 ? file.length : at + mark.length - 1;
}

class Statement {
  private depth = 0;
  private isEntity = false;
  private hasAttributes = false;

  /** False when the brackets do not match. */
  takes(byte: number): boolean {
    switch (byte) {
      case OPEN:
        this.hasAttributes = true;
        return ++this.depth > 0;
      case CLOSE:
        return --this.depth >= 0;
      case HASH:
        // Within brackets it is a reference.
        this.isEntity ||= this.depth === 0;
        return true;
      case END:
        return this.ends();
      default:
        return true;
    }
  }

  private ends(): boolean {
    const isWhole = this.depth === 0 && (this.hasAttributes || !this.isEntity);
    this.isEntity = this.hasAttributes = false;
    return isWhole;
  }
}
