const [HASH, QUOTE, OPEN, CLOSE, STAR, SLASH, END] = Buffer.from("#'()*/;") as unknown as [number, number, number, number, number, number, number];

/** The byte at which it shows that an entity has not its attributes in brackets that match; `undefined` where all have. */
export function unmatchedAt(file: Buffer): number | undefined {
  const statement = new Statement();
  for (let at = 0; at < file.length; at++) {
    const byte = file[at] as number;
    if (byte === QUOTE) at = endOf("'", file, at + 1);
    else if (byte === SLASH && file[at + 1] === STAR) at = endOf('*/', file, at + 2);
    else if (!statement.takes(byte)) return at;
  }
  return undefined;
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
