import { Module } from '@nestjs/common';
import { AggregatesController } from '../aggregates/aggregates.controller';
import { FileAggregates } from '../aggregates/file-aggregates';
import { ContentBodies } from '../content/content-bodies';
import { ContentController } from '../content/content.controller';
import { ContentService } from '../content/content.service';
import { DirectDownloads } from '../content/direct-downloads';
import { SignedAddresses } from '../content/signed-addresses';
import { PREVIEW_CONTROLLERS, PREVIEW_PROVIDERS } from '../previews/previews';
import { FilesPurge } from '../purge/files-purge';
import { PurgedFilesRepository } from '../purge/purged-files.repository';
import { BeginUpload, BegunRecords } from '../resumable/begin-upload';
import { ExpiredUploads } from '../resumable/expired-uploads';
import { FinishedRecords, FinishUpload } from '../resumable/finish-upload';
import { ResumableController } from '../resumable/resumable.controller';
import { ResumableUploadsRepository } from '../resumable/resumable-uploads.repository';
import { ResumableUploads, UploadRoom } from '../resumable/resumable-uploads.service';
import { RunningDigests } from '../resumable/running-digests';
import { UploadWriters } from '../resumable/upload-writers';
import { UploadAccess } from '../resumable/upload-access';
import { NamespaceQuota } from '../quota/namespace-quota';
import { NamespaceUsageRepository } from '../quota/namespace-usage.repository';
import { UsageFolding } from '../quota/usage-folding';
import { BlobInspection } from '../scan/blob-inspection';
import { BlobScan } from '../scan/blob-scan';
import { BlobIntake } from '../uploads/blob-intake';
import { BlobSweeper } from '../uploads/blob-sweeper';
import { KeepUploads } from '../uploads/records/keep-uploads';
import { LooseBlobsRepository } from '../uploads/loose-blobs.repository';
import { MessageIntake } from '../uploads/message-intake';
import { UploadFiles } from '../uploads/upload-files';
import { JointUploads } from '../uploads/records/joint-uploads';
import { UploadAccounts } from '../uploads/records/upload-accounts';
import { UploadRecords } from '../uploads/records/upload-records';
import { UploadedFilesRepository } from '../uploads/records/uploaded-files.repository';
import { UploadSafety } from '../uploads/upload-safety';
import { UploadTransactions } from '../uploads/upload-transactions';
import { VersionRemoval } from '../versions/version-removal';
import { VersionsController } from '../versions/versions.controller';
import { VersionsRepository } from '../versions/versions.repository';
import { VersionsService } from '../versions/versions.service';
import { CreateFolder } from './create-folder';
import { DeleteFiles } from './delete-files';
import { DeletedRecords } from './deleted-records';
import { FileCountsRepository } from './file-counts.repository';
import { FileGraphics } from './file-graphics';
import { FileListRepository } from './file-list.repository';
import { FileNamesRepository } from './file-names.repository';
import { FileTreeRepository } from './file-tree.repository';
import { FilesController } from './files.controller';
import { FilesEvents } from './files.events';
import { FilesRepository } from './files.repository';
import { FilesService } from './files.service';
import { LockedFiles } from './locked-files';
import { LockedTrees } from './locked-trees';
import { NewFiles } from './new-files';
import { Placement } from './placement';
import { UpdateFile } from './update-file';
import { UpdatedRecords } from './updated-records';
import { UpdatedStores } from './updated-stores';

/** Files, their versions, what goes in and what comes out. */
@Module({
  // HEAD of a file is the uploads': before Nest derives one from GET.
  controllers: [...PREVIEW_CONTROLLERS, VersionsController, ResumableController, FilesController, ContentController, AggregatesController],
  providers: [
    FilesRepository, FileListRepository, FileCountsRepository, FileTreeRepository, FileNamesRepository, VersionsRepository, LooseBlobsRepository,
    FilesService, CreateFolder, UpdateFile, UpdatedRecords, UpdatedStores, DeleteFiles, DeletedRecords, NewFiles, LockedFiles, LockedTrees, Placement, FileGraphics, FilesEvents,
    VersionsService, VersionRemoval,
    UploadFiles, UploadTransactions, MessageIntake, UploadSafety, KeepUploads, JointUploads, UploadAccounts, UploadRecords, UploadedFilesRepository, BlobIntake, BlobSweeper,
    ContentService, ContentBodies, DirectDownloads, SignedAddresses,
    BeginUpload, BegunRecords, UploadAccess, FinishUpload, FinishedRecords, ExpiredUploads, RunningDigests, ResumableUploads, ResumableUploadsRepository, UploadRoom, UploadWriters,
    NamespaceQuota, NamespaceUsageRepository, UsageFolding, BlobScan, BlobInspection,
    ...PREVIEW_PROVIDERS,
    FileAggregates, FilesPurge, PurgedFilesRepository,
  ],
})
export class FilesModule {}
