import { MAX_IFC_BYTES } from '../../ifc/ifc-model';

/** What settings say of conversions. */
export interface GeometryTerms {
  /** Of the process that converts. */
  readonly memoryMb: number;
  /** Of a model; that of ifc_import where it is not said. */
  readonly mostBytes?: number;
  /** Told of each process that converts. */
  readonly started?: (pid: number | undefined) => void;
}

export const mostBytesOf = ({ mostBytes = MAX_IFC_BYTES }: GeometryTerms): number => mostBytes;
