import { openAsBlob, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Fields } from '../api';
import type { TourLog } from '../tour-log';
import type { TourOptions } from '../tour-options';
import type { Project } from './project';

const FILES = '/filesvc/api/v1/files';

export interface UploadedFile {
  readonly id: string;
  readonly versionId: string;
  readonly name: string;
  readonly size: number;
}

/** Uploads the model and the readings into a folder. */
export async function uploadFiles(options: TourOptions, project: Project, log: TourLog): Promise<{ model: UploadedFile; readings: UploadedFile }> {
  const { owner, namespace } = project;
  const folder = await log.step('Make a folder', () => owner.post(FILES, undefined, { _name: 'Tour', _namespaces: namespace }), ({ _irn }) => String(_irn));
  const upload = (path: string) => uploadFile(project, String(folder['_id']), path);
  const model = await log.step('Upload the building model', () => upload(options.model), ({ name, size }) => `${name}, ${size} bytes`);
  const readings = await log.step("Upload the sensor's history", () => upload(options.readings), ({ name, size }) => `${name}, ${size} bytes`);
  return { model, readings };
}

async function uploadFile({ owner, namespace }: Project, folderId: string, path: string): Promise<UploadedFile> {
  const form = new FormData();
  form.set('file', await openAsBlob(path), basename(path));
  const [file] = await owner.post<Fields[]>(FILES, form, { _namespaces: namespace, _parents: folderId });
  const version = file?.['_fileVersion'] as Fields | undefined;
  const { size } = statSync(path);
  if (version?.['_fileSize'] !== size) throw new Error(`${path} has ${size} bytes, the platform stored ${String(version?.['_fileSize'])}`);
  return { id: String(file?.['_id']), versionId: String(version['_id']), name: String(file?.['_name']), size };
}
