/** Rows as the sets have them: shapes and names of columns are theirs, the problems are not. */
import type { Row } from '../../../../src/tasks/services.ts';

const PICKLED_STDIN = 'eJxrYJlqzwABPdbR1UqZeQWlJUpWCkomMXmmMXlKOgpK+aUlUDFLiEBJanFJSWVBKkiouCQlM0+pNnaKHgDZIRVV';
const PICKLED_FUNCTIONAL = 'eJxrYJnqzQABPe7R1UqZeQWlJUpWCkrRhjoKRrExeTFKFTFKSjoKSvmlJTAp41iQQElqcUlJZUEqSCitNC+5JDM/LzFHqTZ2ih4A2rEZDg==';

/** Of DeepCoder's subset `primeintellect`. */
export const PRIME_STDIN: Row = {
  problem: 'Solve it: print the sum.',
  tests: JSON.stringify([{ type: 'stdin_stdout', fn_name: null, input: '1 2\n', output: '3\n' }, { type: 'stdin_stdout', fn_name: null, input: '5 5\n', output: '10\n' }]),
};
export const PRIME_CALL: Row = {
  problem: 'Return the sum.',
  tests: JSON.stringify([{ type: 'function_call', fn_name: 'add', input: [1, 2], output: [3] }]),
};
/** Of `taco`: inputs and outputs side by side, as text or as lists of lines. */
export const TACO_STDIN: Row = { problem: 'Print the sum.', tests: JSON.stringify({ inputs: ['1 2\n', ['1', '2']], outputs: ['3\n', ['3']] }) };
export const TACO_CALL: Row = { problem: 'Return the sum.', tests: JSON.stringify({ fn_name: 'add', inputs: [[1, 2], [[1], 2]], outputs: [[3], 3] }) };
/** Of `lcbv5`, which comes with the beginnings of solutions. */
export const LCB_CALL: Row = {
  problem: 'Return the sum.',
  starter_code: 'class Solution:\n    def add(self, a: int, b: int) -> int:\n        ',
  tests: JSON.stringify([{ input: '1\n2', output: '3', testtype: 'functional', metadata: { func_name: 'add' } }]),
};
export const LCB_STDIN: Row = { problem: 'Print the sum.', starter_code: '', tests: JSON.stringify([{ input: '1 2\n', output: '3\n', testtype: 'stdin', metadata: { func_name: null } }]) };
/** Of `codeforces`. */
export const DEEPCODER_CODEFORCES: Row = { problem: 'Print the sum.', tests: JSON.stringify([{ input: '1 2\n', output: '3\n' }]) };

export const LIVE_STDIN: Row = {
  question_content: 'Print the sum of two lines.',
  starter_code: '',
  public_test_cases: JSON.stringify([{ input: '1\n2\n', output: '3\n', testtype: 'stdin' }]),
  private_test_cases: PICKLED_STDIN,
  metadata: '{}',
};
export const LIVE_CALL: Row = {
  question_content: 'Return something.',
  starter_code: 'class Solution:\n    def thing(self, a: List[int], b: str) -> List[int]:\n        ',
  public_test_cases: JSON.stringify([{ input: '[1]\n"y"', output: '[1]', testtype: 'functional' }]),
  private_test_cases: PICKLED_FUNCTIONAL,
  metadata: '{"func_name": "thing"}',
};

export const CODEFORCES: Row = {
  title: 'A. Sums',
  description: 'Add two numbers.',
  input_format: 'One line with two numbers.',
  output_format: 'Their sum.',
  examples: JSON.stringify([{ input: '1 2\n', output: '3\n' }]),
  official_tests: JSON.stringify([{ input: '1 2\n', output: '3\n' }, { input: '7 8\n', output: '15\n' }]),
  generated_checker: '',
};
