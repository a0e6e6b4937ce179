import { EventsTables1700000000000, NamespacePurges1700000000020 } from '@twinyard/events';
import { JOBS_MIGRATIONS } from '@twinyard/jobs';
import { KeptAnswersTable1700000000030 } from '@twinyard/service-kit';
import { CreateMeasurements1700000000001 } from './1700000000001-CreateMeasurements';
import { AddRestatements1700000000002 } from './1700000000002-AddRestatements';
import { ForgetMeasurements1700000000003 } from './1700000000003-ForgetMeasurements';
import { CreateReconciliation1700000000004 } from './1700000000004-CreateReconciliation';

/** Every migration of metricsvc; TypeORM runs them by their number. */
export const migrations = [
  EventsTables1700000000000, NamespacePurges1700000000020, KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS,
  CreateMeasurements1700000000001, AddRestatements1700000000002, ForgetMeasurements1700000000003, CreateReconciliation1700000000004,
];
