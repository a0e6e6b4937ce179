/** Contract 3. A file whose upload is in one request is stored when that is done, so its first status is UPLOAD_COMPLETED; a folder has it too. */
export const FILE_STATUSES = ['UPLOAD_PENDING', 'UPLOADING', 'UPLOAD_COMPLETED', 'UPLOAD_FAILED'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

export const FILE_TYPES = ['dir', 'file'] as const;
export type FileType = (typeof FILE_TYPES)[number];
