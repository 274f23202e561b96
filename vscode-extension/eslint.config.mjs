import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'bundled', 'node_modules', 'test/out', 'test/workbench/node_modules', '.vscode-test'] },
  ...tseslint.configs.strict,
  {
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
);
