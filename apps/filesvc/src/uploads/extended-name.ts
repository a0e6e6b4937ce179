import { nameFromBytes, percentDecoded } from '@twinyard/conventions';

/** What stands in quotes is passed over. */
const EXTENDED_NAME = /"(?:[^"\\]|\\.)*"|;[ \t]*filename\*[ \t]*=[ \t]*([^;\s]*)/gi;
/** `ext-value = charset "'" [ language ] "'" value-chars` (RFC 8187 section 3.2.1). */
const EXTENDED_VALUE = /^"?([\w!#$%&+^`{}~-]+)'[\w-]*'([^"]+)"?$/;
/** What `encodeURIComponent` leaves and an extended value may not hold. */
const NOT_A_VALUE = /[!'()*]/g;
const UTF8 = /^utf-?8$/i;

/**
 * The header with its `filename*` in UTF-8, whatever character set it names; without it, where that is unknown: a `filename` beside it is
 * taken then. Bytes that are none of its set are Windows-1252 (contract 0.1).
 */
export function withReadableName(disposition: string): { readonly header: string; readonly isExtended: boolean } {
  let isExtended = false;
  const header = disposition.replace(EXTENDED_NAME, (found, value?: string) => {
    if (value === undefined) return found;
    const name = decodeExtended(value);
    if (name === undefined || isExtended) return '';
    isExtended = true;
    return `; filename*=UTF-8''${encodeURIComponent(name).replace(NOT_A_VALUE, (character) => `%${character.charCodeAt(0).toString(16)}`)}`;
  });
  return { header, isExtended };
}

function decodeExtended(value: string): string | undefined {
  const [, charset, encoded = ''] = EXTENDED_VALUE.exec(value) ?? [];
  if (charset === undefined) return undefined;
  const bytes = percentDecoded(encoded, 'latin1');
  return UTF8.test(charset) ? nameFromBytes(bytes) : decoded(bytes, charset);
}

function decoded(bytes: Buffer, charset: string): string | undefined {
  const decoder = decoderOf(charset);
  try {
    // In two steps, so that Node 20 takes Windows-1252 for itself (see `windowsText` of the conventions).
    return decoder && decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    return nameFromBytes(bytes);
  }
}

/** Source of the names: WHATWG Encoding. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}
