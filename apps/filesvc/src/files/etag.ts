import { ServiceError } from '@twinyard/conventions';
import type { FileEntity } from './file.entity';

/** The record is another with a picture, but nobody's change: whoever read it before may still change it. */
export const etagOf = (file: FileEntity) => `"${stem(file)}${file.tip?.previewId ? '-p' : ''}"`;
const stem = (file: FileEntity) => `${file.id.slice(0, 8)}-${file.revision}`;

/** Contract 0.2: a PUT or DELETE with a stale `If-Match` is 412. */
export function requireMatch(file: FileEntity, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const accepted = ifMatch.split(',').map((tag) => tag.trim());
  if (![`"${stem(file)}"`, `"${stem(file)}-p"`].some((tag) => accepted.includes(tag))) throw new ServiceError('precondition_failed', 'It has been changed meanwhile; read it again');
}
