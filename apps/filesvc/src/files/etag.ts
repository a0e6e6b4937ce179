import { ServiceError } from '@twinyard/conventions';
import type { FileEntity } from './file.entity';

/** A picture changes what the record says, though nobody has changed the file. */
export const etagOf = (file: FileEntity) => `"${file.id.slice(0, 8)}-${file.revision}${file.tip?.previewId ? '-p' : ''}"`;

/** Contract 0.2: a PUT or DELETE with a stale `If-Match` is 412. */
export function requireMatch(file: FileEntity, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const accepted = ifMatch.split(',').map((tag) => tag.trim());
  if (!accepted.includes(etagOf(file))) throw new ServiceError('precondition_failed', 'It has been changed meanwhile; read it again');
}
