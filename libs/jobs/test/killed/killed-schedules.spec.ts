import { openSqlSubject } from '../sql-subject';
import { describeKilledSchedules } from '../suite/describe-killed-schedules';

describeKilledSchedules('PostgreSQL', openSqlSubject);
