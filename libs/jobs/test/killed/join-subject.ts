import type { JobsSubject } from '../jobs-subject';
import { type Claims, joinMongoSubject } from '../mongo-subject';
import { joinSqlSubject } from '../sql-subject';

/** By the address that a process was started with. */
export function joinSubject([engine, url = '', claims, allowStandalone]: readonly string[]): Promise<JobsSubject> {
  return engine === 'mongo' ? joinMongoSubject(url, claims as Claims, allowStandalone === 'true') : joinSqlSubject(url);
}
