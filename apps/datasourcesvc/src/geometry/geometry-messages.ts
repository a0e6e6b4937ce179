/** What the process says while it converts, and at the end; the bytes go beside it, through `BYTES_FD`. */
export type GeometryMessage =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'converted'; readonly figures: GeometryFigures; readonly bytes: number }
  | { readonly kind: 'refused'; readonly message: string };

export interface GeometryFigures {
  readonly schema: string;
  /** Every IfcProduct of the file. */
  readonly elements: number;
  /** Of them, those that have triangles in the result. */
  readonly withGeometry: number;
  /** GlobalIds of those that have a body in the file, of which nothing could be made: the first of them. */
  readonly withoutGeometry: { readonly count: number; readonly first: readonly string[] };
  /** Products without a GlobalId, by which nobody could find them again. */
  readonly nameless: number;
}

/** Of the process, what it writes the result to; the model comes through its standard input. */
export const BYTES_FD = 4;
