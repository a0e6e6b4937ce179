import { openSqlSubject } from './sql-subject';
import { describeKilledWorkers } from './suite/describe-killed-workers';

// On MongoDB the job of such a worker is free when the server ends its transaction: a minute later.
describeKilledWorkers('PostgreSQL', openSqlSubject, [['after the end of the job, before the commit of both', 'ended', 'runs', ['x, attempt 2']]]);
