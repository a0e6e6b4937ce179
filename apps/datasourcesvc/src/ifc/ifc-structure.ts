import { invalid } from '@twinyard/conventions';
import { type StructureFault, structureFaultOf } from '@twinyard/step';

/** Refuses what the parser would take for an empty model or half of one, and what it would never come to the end of. */
export function requireStructure(file: Uint8Array): void {
  const fault = structureFaultOf(file);
  if (fault !== undefined) throw invalid(messageOf(fault));
}

function messageOf(fault: StructureFault): string {
  switch (fault.kind) {
    case 'empty':
      return 'The file is empty';
    case 'no start':
      return 'The file is not an IFC file: it does not start with ISO-10303-21';
    case 'no end':
      return 'The IFC file is not whole: it does not end with END-ISO-10303-21';
    case 'brackets':
      return `The IFC file cannot be read: brackets do not match in line ${fault.line}`;
  }
}
