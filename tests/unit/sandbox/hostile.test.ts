import { afterAll, describe, expect, it } from 'vitest';
import { nodeSandbox } from '../../../src/sandbox/node.ts';
import { disturbs, HONEST, HONEST_INPUT, HONEST_OUTPUT, HOSTILE, limitsOf, PATIENT_LIMITS } from '../../hostile/cases.ts';

describe('hostile programs in Node', () => {
  const sandbox = nodeSandbox();
  afterAll(() => sandbox.dispose());

  it.each(HOSTILE.map((one) => ({ ...one, title: `${one.language}: ${one.name}` })))('$title', async (one) => {
    const { language, code, becomes } = one;
    const [result] = await sandbox.run({ language, code }, [{ kind: 'stdin', text: HONEST_INPUT }], limitsOf(one));
    expect(becomes, JSON.stringify(result).slice(0, 500)).toContain(result?.kind);
    if (result?.kind === 'ended') expect(result.output).not.toContain('ESCAPED');
    if (!disturbs(one)) return;
    const honest = await sandbox.run({ language, code: HONEST[language] }, [{ kind: 'stdin', text: HONEST_INPUT }], PATIENT_LIMITS);
    expect(honest).toEqual([{ kind: 'ended', output: HONEST_OUTPUT[language], value: null }]);
  });
});
