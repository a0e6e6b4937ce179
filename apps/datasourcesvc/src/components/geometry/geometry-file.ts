import type { FilePlace, FileRecord } from '../../platform-client/files-client';
import { invalid } from '@twinyard/conventions';
import { findSourceFile, type SourceFile } from '../source-file';
import type { StepContext } from '../step-context';

/** A version of a model, and where its geometry goes. JSON. */
export interface ModelFile extends SourceFile {
  readonly place: FilePlace;
}

const TAG = 'geometry';

export async function findModel(step: StepContext, named: Parameters<typeof findSourceFile>[1]): Promise<ModelFile> {
  const source = await findSourceFile(step, named);
  const { _parents, _namespaces } = await step.platform.files.get(source.fileId);
  const namespaces = step.namespaces.filter((name) => _namespaces.includes(name));
  if (namespaces.length === 0) throw invalid(`${source.name} lies in none of the namespaces of the run`);
  return { ...source, place: { name: `${withoutExtension(source.name)}.frag`, parentId: _parents[0], namespaces, tags: [TAG, ...marksOf(source)] } };
}

/** The geometry of this version of the model, where it is the latest that there is. */
export async function findGeometry({ platform }: StepContext, { place }: ModelFile): Promise<FileRecord | undefined> {
  const file = await platform.files.findByName(place);
  return file !== undefined && place.tags.every((tag) => file._tags.includes(tag)) ? file : undefined;
}

/** What filesvc keeps of where a file comes from: a tag has up to 50 characters, an id 36. */
const marksOf = ({ fileId, fileVersionId }: SourceFile) => [`sourceFile:${fileId}`, `sourceVersion:${fileVersionId}`];

const withoutExtension = (name: string) => name.replace(/(?<=.)\.[^.]*$/, '');
