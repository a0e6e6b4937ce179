export interface BasicCredentials {
  readonly id: string;
  readonly secret: string;
}

/** HTTP Basic as it stands (RFC 7617 section 2). */
export function readBasic(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * What credentials of a client may mean: both parts form-encoded, as RFC 6749 section 2.3.1 has it, or as they stand, as many send them (contract 1.1).
 * Mostly that is one and the same, and then it is here once.
 */
export function clientReadings(shown: BasicCredentials): readonly BasicCredentials[] {
  if (!/[%+]/.test(shown.id + shown.secret)) return [shown];
  try {
    return [{ id: decode(shown.id), secret: decode(shown.secret) }, shown];
  } catch {
    return [shown];
  }
}

/** Form-encoded, so that there is one reading. */
export const writeBasic = ({ id, secret }: BasicCredentials): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', '%20'));
