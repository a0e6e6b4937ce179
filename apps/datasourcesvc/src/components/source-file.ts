import { invalid } from '@twinyard/conventions';
import type { StepContext } from './step-context';
import { optionalText, requiredText } from './step-params';

/** One version of a file: a run that goes on after a takeover reads the same one, whatever was uploaded since. */
export interface SourceFile {
  readonly fileId: string;
  readonly fileVersionId: string;
  readonly name: string;
}

/** `_fileId` and `_fileVersionId`; the latest version when that is missing. */
export async function findSourceFile({ params, platform }: StepContext): Promise<SourceFile> {
  const fileId = requiredText(params, '_fileId');
  const wanted = optionalText(params, '_fileVersionId');
  const file = await platform.files.get(fileId);
  if (file._type === 'dir') throw invalid(`${file._name} is a folder`);
  return { fileId: file._id, fileVersionId: wanted ?? file._tipId, name: file._name };
}
