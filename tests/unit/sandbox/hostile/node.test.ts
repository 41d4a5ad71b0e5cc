import { afterAll, describe, expect, it } from 'vitest';
import { nodeSandbox } from '../../../../src/sandbox/node.ts';
import { HONEST, HONEST_INPUT, HONEST_OUTPUT, HOSTILE, HOSTILE_LIMITS } from './cases.ts';

describe('hostile programs in Node', () => {
  const sandbox = nodeSandbox();
  afterAll(() => sandbox.dispose());

  it.each(HOSTILE.map((one) => ({ ...one, title: `${one.language}: ${one.name}` })))('$title', async ({ language, code, becomes }) => {
    const [result] = await sandbox.run({ language, code }, [{ kind: 'stdin', text: HONEST_INPUT }], HOSTILE_LIMITS);
    expect(becomes, JSON.stringify(result).slice(0, 500)).toContain(result?.kind);
    if (result?.kind === 'ended') expect(result.output).not.toContain('ESCAPED');
    const honest = await sandbox.run({ language, code: HONEST[language] }, [{ kind: 'stdin', text: HONEST_INPUT }]);
    expect(honest).toEqual([{ kind: 'ended', output: HONEST_OUTPUT[language], value: null }]);
  });
});
