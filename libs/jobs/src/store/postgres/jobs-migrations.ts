import { JobReadings1700000000070 } from './job-readings-migration';
import { JobRequestIds1700000000080 } from './job-request-ids-migration';
import { Jobs1700000000060 } from './jobs-migration';

/** What the database of a service with jobs needs among its migrations. */
export const JOBS_MIGRATIONS = [Jobs1700000000060, JobReadings1700000000070, JobRequestIds1700000000080];
