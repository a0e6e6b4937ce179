import { ServiceError } from '@twinyard/conventions';
import type { FileVersionEntity } from '../versions/file-version.entity';

/** For the reference. */
export const QUARANTINED = 'The version is quarantined (`quarantined`): a scan has found something in it';

/** 403: nobody is given bytes in which a scan found something, whatever they may otherwise. */
export function requireReleased({ quarantinedFor }: Pick<FileVersionEntity, 'quarantinedFor'>): void {
  if (quarantinedFor !== null) throw new ServiceError('quarantined', `This version is quarantined: ${quarantinedFor} was found in it`);
}
