import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, FairShareModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, EventsTables1700000000000, NamespacePurgeModule, NamespacePurges1700000000020 } from '@twinyard/events';
import { JOBS_MIGRATIONS, JobsModule } from '@twinyard/jobs';
import { KeptAnswersTable1700000000030, SqlModule } from '@twinyard/service-kit';
import { BlobsModule } from './blobs.module';
import type { FilesvcSettings } from './config';
import { FileEntity } from './files/file.entity';
import { FilesModule } from './files/files.module';
import { CreateFiles1700000000001 } from './migrations/1700000000001-CreateFiles';
import { ResumableUploads1700000000002 } from './migrations/1700000000002-ResumableUploads';
import { Previews1700000000003 } from './migrations/1700000000003-Previews';
import { FileSafety1700000000004 } from './migrations/1700000000004-FileSafety';
import { FileLists1700000000005 } from './migrations/1700000000005-FileLists';
import { UploadsAgain1700000000006 } from './migrations/1700000000006-UploadsAgain';
import { FileCounts1700000000007 } from './migrations/1700000000007-FileCounts';
import { PreviewJobs1700000000008 } from './migrations/1700000000008-PreviewJobs';
import { UserAttributes1700000000009 } from './migrations/1700000000009-UserAttributes';
import { ResumableUploadEntity } from './resumable/resumable-upload.entity';
import { SentBodies } from './uploads/sent-bodies';
import { FileVersionEntity } from './versions/file-version.entity';

/** For events, previews and sweeps, which nobody waits for. */
const OWN_CONNECTIONS = 2;
/** An upload that is written down may have to say meanwhile that it is still at it. */
const FOR_AN_UPLOAD = 2;

@Module({})
export class AppModule {
  static register(settings: FilesvcSettings): DynamicModule {
    const migrations = [EventsTables1700000000000, NamespacePurges1700000000020, KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS, CreateFiles1700000000001, ResumableUploads1700000000002, Previews1700000000003, FileSafety1700000000004, FileLists1700000000005, UploadsAgain1700000000006, FileCounts1700000000007, PreviewJobs1700000000008, UserAttributes1700000000009];
    const sql = { url: settings.DATABASE_URL, answerBytes: settings.ANSWER_MAX_BYTES, entities: [FileEntity, FileVersionEntity, ResumableUploadEntity], migrations };
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ ...sql, poolSize: settings.REQUEST_PLACES + FOR_AN_UPLOAD * settings.UPLOAD_PLACES + OWN_CONNECTIONS }),
        BlobsModule.forRoot(settings),
        AuthModule.forService('filesvc', settings),
        FairShareModule.forRequests(settings),
        RepeatsModule.reading(SentBodies),
        EventsModule.forRoot({ service: 'filesvc', bus: eventBusOptions(settings), left: ['filesvc.file'] }),
        JobsModule.forRoot(settings),
        NamespacePurgeModule.forRoot('filesvc', settings),
        FilesModule,
      ],
    };
  }
}
