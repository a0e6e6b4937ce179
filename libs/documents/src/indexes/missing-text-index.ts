import { invalidAbout } from '@twinyard/conventions';

export const missingTextIndex = () => invalidAbout('query', '$text needs a text index');
