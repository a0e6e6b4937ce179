import { invalid } from '@twinyard/conventions';
import { text } from './component-params';
import type { StepContext } from './step-context';

/** Parameters that name a file. */
export const sourceFileParams = (what: string) => ({
  _fileId: text(what),
  _fileVersionId: text('A version of it; else the latest').optional(),
});

interface NamedFile {
  readonly _fileId: string;
  readonly _fileVersionId?: string | undefined;
}

/** One version of a file: a run that goes on after a takeover reads the same one, whatever was uploaded since. */
export interface SourceFile {
  readonly fileId: string;
  readonly fileVersionId: string;
  readonly name: string;
}

/** The latest version where none is named. */
export async function findSourceFile({ platform }: Pick<StepContext, 'platform'>, { _fileId, _fileVersionId: wanted }: NamedFile): Promise<SourceFile> {
  const file = await platform.files.get(_fileId);
  if (file._type === 'dir') throw invalid(`${file._name} is a folder`);
  return { fileId: file._id, fileVersionId: wanted ?? file._tipId, name: file._name };
}
