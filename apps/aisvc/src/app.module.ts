import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, FairShareModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, EventsTables1700000000000, NamespacePurgeModule, NamespacePurges1700000000020 } from '@twinyard/events';
import { JOBS_MIGRATIONS, JobsModule } from '@twinyard/jobs';
import { KeptAnswersTable1700000000030, SqlModule } from '@twinyard/service-kit';
import type { AisvcSettings } from './config';
import { CreateTeams1700000000001 } from './migrations/1700000000001-CreateTeams';
import { Team } from './teams/team.entity';
import { TeamsModule } from './teams/teams.module';

/** For events, jobs and sweeps. */
const OWN_CONNECTIONS = 2;

@Module({})
export class AppModule {
  static register(settings: AisvcSettings): DynamicModule {
    const migrations = [EventsTables1700000000000, NamespacePurges1700000000020, KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS, CreateTeams1700000000001];
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ url: settings.DATABASE_URL, answerBytes: settings.ANSWER_MAX_BYTES, entities: [Team], migrations, poolSize: settings.REQUEST_PLACES + OWN_CONNECTIONS }),
        AuthModule.forService('aisvc', settings),
        FairShareModule.forRequests(settings),
        RepeatsModule,
        EventsModule.forRoot({ service: 'aisvc', bus: eventBusOptions(settings) }),
        JobsModule.forRoot(settings),
        NamespacePurgeModule.forRoot('aisvc', settings),
        TeamsModule,
      ],
    };
  }
}
