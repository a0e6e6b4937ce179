import { type BodyExamples, EXAMPLE_IDS } from '@twinyard/service-kit';

const { namespace, file } = EXAMPLE_IDS;

export const examples: BodyExamples = {
  uploadFiles: { file: 'What the file holds' },
  uploadPiece: 'The next bytes of the file',
  deleteFiles: [file],
  updateFile: { _name: 'ground floor.ifc', _namespaces: [namespace], _tags: ['plan'], _userAttributes: { storey: 0 } },
};
