import { randomBytes } from 'node:crypto';
import { invalidField } from '@twinyard/conventions';

interface NamedFile {
  readonly name: string;
  /** Its content type; without one the file service looks for itself. */
  readonly type?: string;
  readonly content: Uint8Array;
}

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w-]+=[\w."/+ -]*)*$/;

/** A form with one file, as filesvc takes it (RFC 7578; names as the HTML standard writes them). */
export function multipartOf({ name, type, content }: NamedFile): { readonly content: Uint8Array; readonly type: string } {
  if (name === '' || name.length > 255 || !name.isWellFormed()) throw invalidField('name', 'must have 1 to 255 characters');
  if (type !== undefined && !TYPE.test(type)) throw invalidField('type', 'is no content type');
  const boundary = `twinyard-${randomBytes(16).toString('hex')}`;
  const head = [
    `--${boundary}`,
    `content-disposition: form-data; name="file"; filename="${name.replace(/["\r\n]/g, (character) => encodeURIComponent(character))}"`,
    ...(type === undefined ? [] : [`content-type: ${type}`]),
    '', '',
  ].join('\r\n');
  return { content: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]), type: `multipart/form-data; boundary=${boundary}` };
}
