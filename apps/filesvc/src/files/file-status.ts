/** Contract 3. A file whose upload is in one request is stored when that is done, so its first status is UPLOAD_COMPLETED; a folder has it too. */
export const FILE_STATUSES = ['UPLOAD_PENDING', 'UPLOADING', 'UPLOAD_COMPLETED', 'UPLOAD_FAILED', 'QUARANTINED'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

/** A file whose latest version a scan has found something in says so, until that version is deleted or released. */
export const statusOfTip = ({ quarantinedFor }: { readonly quarantinedFor: string | null }): FileStatus => (quarantinedFor === null ? 'UPLOAD_COMPLETED' : 'QUARANTINED');

export const FILE_TYPES = ['dir', 'file'] as const;
export type FileType = (typeof FILE_TYPES)[number];
