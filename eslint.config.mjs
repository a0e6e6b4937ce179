// Lint runs through Nx alone (`npm run lint`): a bare eslint would skip the module boundaries silently. The canary
// (tools/checks/lint-canary) proves that each of these rules reports.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const LIBS = ['conventions', 'service-kit', 'jobs', 'auth', 'events', 'documents', 'blobs', 'envelope', 'scripts', 'previews'];
const DRIVERS = /^(pg|pg-[a-z-]+|typeorm|@nestjs\/typeorm|mongodb|minio|kafkajs)(\/|$)/;
const TESTS = ['**/*.spec.ts', '**/*.delivery.ts', '**/*.engines.ts', '**/test/**', '**/contract-suite/**', 'libs/testing/**'];
// Statements of SQL, and classes that a function makes, are longer than a function should be.
const LONG = ['**/migrations/**', '**/*.controller.ts', '**/*-controller.ts'];

const onlyDependOn = (sourceTag, ...tags) => ({ sourceTag, onlyDependOnLibsWithTags: tags });
const noTesting = { regex: '^@twinyard/testing$', message: 'Only specs and test folders use @twinyard/testing.' };
const noDriver = { regex: DRIVERS.source, message: 'Only a repository, an entity, an adapter or a migration knows a driver.' };
const functions = ':matches(FunctionDeclaration, FunctionExpression, ArrowFunctionExpression, TSEmptyBodyFunctionExpression)';

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', '**/coverage', '**/*.d.ts', '**/*.mjs', '**/*.js', '**/*.json', 'tools/clients/*/quickstart.ts'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@nx/enforce-module-boundaries': ['error', {
        enforceBuildableLibDependency: false,
        // The specs of a lib use `testing`, and `testing` stands on the libs: a circle of projects, never one of files.
        ignoredCircularDependencies: LIBS.map((lib) => ['testing', lib]),
        checkDynamicDependenciesExceptions: ['@twinyard/*'],
        allow: [],
        depConstraints: [
          onlyDependOn('layer:conventions'),
          onlyDependOn('layer:kit', 'layer:conventions', 'layer:testing'),
          onlyDependOn('layer:jobs', 'layer:kit', 'layer:conventions', 'layer:testing'),
          onlyDependOn('layer:port', 'layer:jobs', 'layer:kit', 'layer:conventions', 'layer:testing'),
          onlyDependOn('layer:testing', 'layer:port', 'layer:jobs', 'layer:kit', 'layer:conventions'),
          onlyDependOn('layer:app', 'layer:port', 'layer:jobs', 'layer:kit', 'layer:conventions', 'layer:testing'),
          onlyDependOn('layer:tool', 'layer:port', 'layer:jobs', 'layer:kit', 'layer:conventions', 'layer:testing'),
        ],
      }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // A leading underscore, or a field that is named only to leave it out of the rest, is not used on purpose.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 40, skipComments: true }],
      'max-depth': ['error', 3],
      // A switch counts once, however many cases it has: exhaustive switches are wanted.
      complexity: ['error', { max: 10, variant: 'modified' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-else-return': 'error',
      'no-nested-ternary': 'error',
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Settings are read in config.ts.' }, { object: 'AbortSignal', property: 'timeout', message: 'In an AbortSignal.any it may be collected before its time: signalWithin is not.' }],
      'no-restricted-syntax': ['error',
        { selector: `${functions}[params.length>5]:not(MethodDefinition[kind='constructor'] > FunctionExpression)`, message: 'At most five parameters, then an object.' },
        { selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>6]", message: 'At most six dependencies: move a use case to an injectable of its own.' },
      ],
      'no-restricted-imports': ['error', { patterns: [noTesting] }],
    },
  },
  {
    files: ['apps/**/*.ts'],
    ignores: ['**/*.repository.ts', '**/*.entity.ts', '**/*.adapter.ts', '**/migrations/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [noTesting, noDriver] }] },
  },
  { files: [...LONG, ...TESTS], rules: { 'max-lines-per-function': 'off' } },
  { files: TESTS, rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['**/config.ts', ...TESTS, 'tools/**/*.ts', 'bench/**/*.ts', 'deploy/engines/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
);
