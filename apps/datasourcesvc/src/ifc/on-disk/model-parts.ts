import type { IfcReport } from '../ifc-faults';
import type { IfcContainer, IfcElement, IfcElementType, IfcKey, IfcProperties } from '../ifc-model';

/** A model on disk: each part is a file of JSON lines. Properties of elements are apart, in the same order, since most readers do not want them. */
export const MODEL_PARTS = ['types', 'elements', 'properties', 'containers'] as const;
export type ModelPart = (typeof MODEL_PARTS)[number];

export interface PartRows {
  readonly types: IfcElementType;
  readonly elements: Omit<IfcElement, 'properties'>;
  readonly properties: { readonly key: IfcKey; readonly properties: IfcProperties };
  readonly containers: IfcContainer;
}

/** What there is to know of a model without its parts. */
export interface ModelHead {
  readonly schema: string;
  readonly counts: {
    readonly types: number;
    readonly elements: number;
    readonly containers: number;
    /** Elements that have a type. */
    readonly typed: number;
    /** Elements that are in a container. */
    readonly contained: number;
    /** Of elements. */
    readonly properties: number;
  };
  readonly report: IfcReport;
}

/** Where the process that reads has its files: behind standard input, output, errors and its channel. */
export const FIRST_FILE = 4;

/** What it is told, as its arguments. */
export interface IfcOrder {
  /** Of the file. */
  readonly bytes: number;
  /** What all parts together may have. */
  readonly mostBytes: number;
}

/** What the process says. */
export type IfcAnswer =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'model'; readonly head: ModelHead }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: { readonly message: string; readonly code?: string | undefined } };
