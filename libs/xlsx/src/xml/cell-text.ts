const ESCAPED = /_x([0-9a-fA-F]{4})_/g;
/** What XML cannot hold, and what would be read as an escape. */
const TO_ESCAPE = /_(?=x[0-9a-fA-F]{4}_)|[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\ufffe\uffff]/g;

/** A text as cells hold it: `_x000D_` stands for a character that XML would not keep (ST_Xstring of ISO/IEC 29500-1). What would be half a character stays as it is. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  const plain = text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain.isWellFormed() ? plain : text;
}

export const escaped = (text: string): string => text.replace(TO_ESCAPE, (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`);
