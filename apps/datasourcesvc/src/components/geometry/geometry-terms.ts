/** More has no room in the memory of a conversion, whatever it holds. */
const MAX_MODEL_BYTES = 256 * 1_048_576;

/** What settings say of conversions. */
export interface GeometryTerms {
  /** Of the process that converts. */
  readonly memoryMb: number;
  /** Of a model. */
  readonly mostBytes?: number;
  /** Told of each process that converts. */
  readonly started?: (pid: number | undefined) => void;
}

export const mostBytesOf = ({ mostBytes = MAX_MODEL_BYTES }: GeometryTerms): number => mostBytes;
