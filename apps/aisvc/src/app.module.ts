import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, EventsTables1700000000000, NamespacePurgeModule, NamespacePurges1700000000020 } from '@twinyard/events';
import { JOBS_MIGRATIONS, JobsModule } from '@twinyard/jobs';
import { KeptAnswersTable1700000000030, SqlModule } from '@twinyard/service-kit';
import type { AisvcSettings } from './config';
import { CreateTeams1700000000001 } from './migrations/1700000000001-CreateTeams';
import { Team } from './teams/team.entity';
import { TeamsModule } from './teams/teams.module';

@Module({})
export class AppModule {
  static register(settings: AisvcSettings): DynamicModule {
    const migrations = [EventsTables1700000000000, NamespacePurges1700000000020, KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS, CreateTeams1700000000001];
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ url: settings.DATABASE_URL, answerBytes: settings.ANSWER_MAX_BYTES, entities: [Team], migrations, poolSize: 5 }),
        AuthModule.forService('aisvc', settings),
        RepeatsModule,
        EventsModule.forRoot({ service: 'aisvc', bus: eventBusOptions(settings) }),
        JobsModule.forRoot(settings),
        NamespacePurgeModule.forRoot('aisvc', settings),
        TeamsModule,
      ],
    };
  }
}
