/** Tests of a program: what goes into the sandbox, and the judgement of what comes out of it. */
import type { Input, Limits, Program, Result, Sandbox } from '../../sandbox/types.ts';
import { sameOutput, sameValue } from './compare.ts';

/** `stdin`: what is read and what has to be printed. `call`: a function with its arguments, and results that are right, as JSON texts. */
export type CodeTest = { kind: 'stdin'; input: string; output: string } | { kind: 'call'; name: string; args: string; expected: readonly string[] };

/** What came of a test. */
export type Outcome = { kind: 'passed' } | { kind: 'failed'; message: string } | Exclude<Result, { kind: 'ended' }>;

/** Characters of a wrong answer that are shown. */
const SHOWN = 200;

/** One outcome a test, in order; where `all` have to pass, the tests after the first that does not are left out. */
export async function runTests(sandbox: Sandbox, program: Program, tests: readonly CodeTest[], limits: Limits, all: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await sandbox.run(program, tests.map(inputOf), limits, (result, index) => {
    const test = tests[index];
    const outcome = test ? outcomeOf(test, result) : undefined;
    if (outcome) outcomes.push(outcome);
    return !all || outcome?.kind === 'passed';
  });
  return outcomes;
}

function inputOf(test: CodeTest): Input {
  return test.kind === 'stdin' ? { kind: 'stdin', text: test.input } : { kind: 'call', name: test.name, args: test.args };
}

/** The judgement on one result. */
export function outcomeOf(test: CodeTest, result: Result): Outcome {
  if (result.kind !== 'ended') return result;
  if (test.kind === 'stdin') {
    return sameOutput(test.output, result.output) ? { kind: 'passed' } : failed(test.output, result.output === '' ? 'nothing' : result.output);
  }
  const value = result.value ?? 'nothing';
  return test.expected.some((expected) => sameValue(expected, value)) ? { kind: 'passed' } : failed(test.expected[0] ?? '', value);
}

function failed(expected: string, got: string): Outcome {
  return { kind: 'failed', message: `Expected ${shortened(expected)}, got ${shortened(got)}.` };
}

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > SHOWN ? `${trimmed.slice(0, SHOWN)}…` : trimmed;
}
