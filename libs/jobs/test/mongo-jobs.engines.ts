import { onEngine } from '@twinyard/testing';
import { openMongoSubject } from './mongo-subject';
import { describeAttempts } from './suite/describe-attempts';
import { describeDeadJobs } from './suite/describe-dead-jobs';
import { describeJobKeys } from './suite/describe-job-keys';
import { describeJobRunner } from './suite/describe-job-runner';
import { describeJobStore } from './suite/describe-job-store';
import { describeKilledSchedules } from './suite/describe-killed-schedules';
import { describeKilledWorkers } from './suite/describe-killed-workers';
import { describeSchedules } from './suite/describe-schedules';

onEngine('mongo', () => {
  for (const [name, open] of [['MongoDB', () => openMongoSubject('IN_TURN')], ['MongoDB, claims apart', () => openMongoSubject('APART')]] as const) {
    describeJobStore(name, open);
    describeJobKeys(name, open);
    describeDeadJobs(name, open);
    describeKilledWorkers(name, open);
  }
  describeJobRunner('MongoDB', () => openMongoSubject('IN_TURN'));
  describeAttempts('MongoDB', () => openMongoSubject('IN_TURN'));
  describeSchedules('MongoDB', () => openMongoSubject('IN_TURN'));
  describeKilledSchedules('MongoDB', () => openMongoSubject('IN_TURN'));
});
