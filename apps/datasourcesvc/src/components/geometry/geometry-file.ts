import { invalid } from '@twinyard/conventions';
import type { FilePlace, FileRecord } from '../../platform-client/files-client';
import { findSourceFile, type SourceFile } from '../source-file';
import type { StepContext } from '../step-context';

/** A version of a model, and where its geometry goes. JSON. */
export interface ModelFile extends SourceFile {
  readonly place: FilePlace;
}

const TAG = 'geometry';

/** What filesvc keeps of where a file comes from. */
const sourceOf = ({ fileId, fileVersionId }: SourceFile) => ({ sourceFileId: fileId, sourceVersionId: fileVersionId });

export async function findModel(step: StepContext, named: Parameters<typeof findSourceFile>[1]): Promise<ModelFile> {
  const source = await findSourceFile(step, named);
  const { _parents, _namespaces } = await step.platform.files.get(source.fileId);
  const namespaces = step.namespaces.filter((name) => _namespaces.includes(name));
  if (namespaces.length === 0) throw invalid(`${source.name} lies in none of the namespaces of the run`);
  return { ...source, place: { name: `${withoutExtension(source.name)}.frag`, parentId: _parents[0], namespaces, tags: [TAG], userAttributes: sourceOf(source) } };
}

/** The geometry of this version of the model, where it is the latest that there is. */
export async function findGeometry({ platform }: StepContext, { place, ...source }: ModelFile): Promise<FileRecord | undefined> {
  const file = await platform.files.findByName(place);
  return file !== undefined && Object.entries(sourceOf(source)).every(([name, id]) => file._userAttributes[name] === id) ? file : undefined;
}

const withoutExtension = (name: string) => name.replace(/(?<=.)\.[^.]*$/, '');
