/** The problems that come with the program can be solved, and nothing but a solution solves them. */
import { afterAll, describe, expect, it } from 'vitest';
import { nodeSandbox } from '../../../../src/sandbox/node.ts';
import { DEFAULT_LIMITS, LANGUAGES, type Language } from '../../../../src/sandbox/types.ts';
import { BUILT_IN } from '../../../../src/tasks/code/built-in.ts';
import { runTests, type CodeTest } from '../../../../src/tasks/code/run-tests.ts';
import { SOLUTIONS } from './solutions.ts';

const sandbox = nodeSandbox();
afterAll(() => sandbox.dispose());

const solutionOf = (name: string, language: Language): string => SOLUTIONS[name]?.[language] ?? '';

/** Outcomes in words, so that a failure says which test and why. */
async function outcomes(language: Language, code: string, tests: readonly CodeTest[], all = true): Promise<string[]> {
  const found = await runTests(sandbox, { language, code }, tests, DEFAULT_LIMITS, all);
  return found.map((outcome) => ('message' in outcome ? `${outcome.kind}: ${outcome.message}` : outcome.kind));
}

/** The same program in JavaScript gone wrong: it prints one thing more, or its function returns nothing. */
function broken(code: string, [test]: readonly CodeTest[]): string {
  if (test?.kind === 'stdin') return `${code}\nprint("!")`;
  return `${code.replace(/\b(const|function) (\w+)/, '$1 other_$2')}\nfunction ${test?.name ?? ''}() { return null; }`;
}

describe.each(Object.entries(BUILT_IN).flatMap(([name, { question, tests }]) => LANGUAGES.map((language) => ({ name, language, question, tests }))))('$name in $language', ({ name, language, question, tests }) => {
  it('takes a solution of its own', async () => {
    expect(await outcomes(language, solutionOf(name, language), tests)).toEqual(tests.map(() => 'passed'));
  });

  it('names in its question what its tests call', () => {
    for (const test of tests) if (test.kind === 'call') expect(question).toContain(`${test.name}(`);
  });
});

describe('a built-in problem', () => {
  it('does not take a broken solution', async () => {
    for (const [name, { tests }] of Object.entries(BUILT_IN)) {
      const [first] = await outcomes('javascript', broken(solutionOf(name, 'javascript'), tests), tests);
      expect(first, name).toMatch(/^failed: Expected .+, got .+\.$/s);
    }
  });

  it('does not take the solution of another one', async () => {
    const names = Object.keys(BUILT_IN);
    for (const [name, { tests }] of Object.entries(BUILT_IN)) {
      for (const other of names.filter((one) => one !== name)) {
        const all = await outcomes('javascript', solutionOf(other, 'javascript'), tests);
        expect(all.at(-1), `${other} on ${name}`).not.toBe('passed');
      }
    }
  });

  it('has tests that differ, so that no constant answer passes', () => {
    for (const [name, { tests }] of Object.entries(BUILT_IN)) {
      const wanted = new Set(tests.map((test) => (test.kind === 'stdin' ? test.output : test.expected.join())));
      expect(wanted.size, name).toBeGreaterThan(1);
    }
  });
});
