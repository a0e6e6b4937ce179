import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, FairShareModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, EventsTables1700000000000, NamespacePurgeModule, NamespacePurges1700000000020 } from '@twinyard/events';
import { JOBS_MIGRATIONS, JobsModule } from '@twinyard/jobs';
import { KeptAnswersTable1700000000030, SqlModule } from '@twinyard/service-kit';
import type { Component } from './components/component';
import { builtInComponents } from './components/built-in-components';
import { ComponentsModule } from './components/components.module';
import { type DatasourcesvcSettings, ifcTermsOf, restRulesOf } from './config';
import { INSTANT_SCRIPTS } from './execution/run-jobs';
import { CreateOrchestrators1700000000001 } from './migrations/1700000000001-CreateOrchestrators';
import { CreateRuns1700000000002 } from './migrations/1700000000002-CreateRuns';
import { AddStepReport1700000000003 } from './migrations/1700000000003-AddStepReport';
import { RunsByJobs1700000000004 } from './migrations/1700000000004-RunsByJobs';
import { CreateSchedules1700000000005 } from './migrations/1700000000005-CreateSchedules';
import { RunsOfOrchestrators1700000000010 } from './migrations/1700000000010-RunsOfOrchestrators';
import { AddRunRetryOf1700000000011 } from './migrations/1700000000011-AddRunRetryOf';
import { AddStepRetries1700000000012 } from './migrations/1700000000012-AddStepRetries';
import { AddOrchestratorLimits1700000000013 } from './migrations/1700000000013-AddOrchestratorLimits';
import { AddRunUsage1700000000014 } from './migrations/1700000000014-AddRunUsage';
import { AddRunProcessorTime1700000000015 } from './migrations/1700000000015-AddRunProcessorTime';
import { CreateRunPreparations1700000000016 } from './migrations/1700000000016-CreateRunPreparations';
import { Orchestrator } from './orchestrators/orchestrator.entity';
import { Run } from './runs/run.entity';
import { RunStep } from './runs/run-step.entity';
import { RunsModule } from './runs/runs.module';
import { Schedule } from './schedules/schedule.entity';
import { SchedulesModule } from './schedules/schedules.module';

const migrations = [
  EventsTables1700000000000, NamespacePurges1700000000020, KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS, CreateOrchestrators1700000000001, CreateRuns1700000000002,
  AddStepReport1700000000003, RunsByJobs1700000000004, CreateSchedules1700000000005, RunsOfOrchestrators1700000000010, AddRunRetryOf1700000000011, AddStepRetries1700000000012,
  AddOrchestratorLimits1700000000013, AddRunUsage1700000000014, AddRunProcessorTime1700000000015, CreateRunPreparations1700000000016,
];

/** For events, and what runs write down. */
const OWN_CONNECTIONS = 2;

const componentsOf = (settings: DatasourcesvcSettings): readonly Component[] =>
  builtInComponents({
    models: ifcTermsOf(settings), geometry: { memoryMb: settings.GEOMETRY_MEMORY_MB }, rest: restRulesOf(settings),
    scripts: { threads: settings.RUN_CONCURRENCY, instantThreads: INSTANT_SCRIPTS, seconds: settings.SCRIPT_SECONDS },
  });

@Module({})
export class AppModule {
  static register(settings: DatasourcesvcSettings, components: readonly Component[] = componentsOf(settings)): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ url: settings.DATABASE_URL, answerBytes: settings.ANSWER_MAX_BYTES, entities: [Orchestrator, Run, RunStep, Schedule], migrations, poolSize: settings.REQUEST_PLACES + OWN_CONNECTIONS }),
        AuthModule.forService('datasourcesvc', settings),
        FairShareModule.forRequests(settings),
        RepeatsModule,
        EventsModule.forRoot({ service: 'datasourcesvc', bus: eventBusOptions(settings) }),
        JobsModule.forRoot(settings),
        NamespacePurgeModule.forRoot('datasourcesvc', settings),
        ComponentsModule.forRoot(components),
        RunsModule.forRoot(settings),
        SchedulesModule,
      ],
    };
  }
}
