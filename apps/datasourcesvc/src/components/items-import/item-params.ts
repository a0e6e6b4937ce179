import { z } from 'zod';
import { text } from '../component-params';
import { columnsParam, pathsOf } from '../file-columns/column-params';
import { type ColumnChoice, KEY } from './item-columns';

/** Of every import of items from a file of rows. */
export const itemsImportParams = {
  _userItemId: text('The collection that the rows become items of; its latest version'),
  keyColumn: text(`The column whose cells name the items: they become \`${KEY}\`. An item that has it already is changed, others are made`, { examples: ['Asset number', KEY] }),
  columns: columnsParam('The properties, or an object from column to the path of the property (`a.b` is `b` inside `a`); else all columns but that of the key, each under its own name', 'property'),
  textColumns: z.array(z.string().min(1)).default([]).meta({ description: 'Columns whose cells are texts whatever they look like, such as room numbers and postal codes', examples: [['Room']] }),
  onConflict: z.enum(['merge', 'replace', 'keep']).default('merge').meta({
    description: 'Where an item is there already: `merge` sets the properties that the file has for it, `replace` has it hold nothing else, `keep` leaves it as it is',
  }),
};

export const choiceOf = ({ keyColumn, columns, textColumns }: z.output<z.ZodObject<typeof itemsImportParams>>): ColumnChoice => ({ keyColumn, textColumns, columns: pathsOf(columns) });
