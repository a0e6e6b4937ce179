import type { SourceFile } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { ImportVersions } from './import-versions';

/** The user types of a model: of its composite, and of the collections in it. */
export interface ModelTypes {
  readonly composite: string;
  readonly collections: readonly string[];
}

/**
 * `undo` of a component that writes a model by ModelWriter, and knows its file as `source` of its progress. What was there before the import is the latest again. The
 * composite goes first: who finds one finds all of the model.
 */
export async function undoModel(step: StepContext, { composite, collections }: ModelTypes): Promise<void> {
  const source = new StepProgress(step).get<SourceFile>('source');
  if (source === undefined) return;
  await step.saveProgress({ source }); // what it says of versions will not be true any more
  const versions = new ImportVersions(step, source);
  let removed = await versions.remove({ userType: composite, itemClass: 'NamedCompositeItem' });
  for (const userType of collections) removed = (await versions.remove({ userType, itemClass: 'NamedUserCollection' })) || removed;
  if (removed) await step.log('info', `Took back what it had written of ${source.name}: nothing of this import is there`);
}
