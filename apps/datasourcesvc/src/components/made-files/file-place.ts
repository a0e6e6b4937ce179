import { invalid } from '@twinyard/conventions';
import { z } from 'zod';
import { text } from '../component-params';
import type { StepContext } from '../step-context';

/** Parameters that say where a file goes, beside its name. */
export const filePlaceParams = {
  _parentId: text('The folder; else the root').optional(),
  _tags: z.array(z.string().min(1)).max(10).default([]).meta({ description: 'Of the file' }),
};

/** A file lies in namespaces of its folder. */
export async function namespacesIn({ platform, namespaces }: StepContext, parentId: string | undefined): Promise<readonly string[]> {
  if (parentId === undefined) return namespaces;
  const folder = await platform.files.get(parentId);
  if (folder._type !== 'dir') throw invalid(`${folder._name} is no folder`);
  return namespaces.filter((name) => folder._namespaces.includes(name));
}
