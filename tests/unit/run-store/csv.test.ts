import { describe, expect, it } from 'vitest';
import { metricsCsv } from '../../../src/run-store/csv.ts';

describe('metrics as CSV', () => {
  it('has a column a name that any row has, and nothing where a row lacks it', () => {
    expect(metricsCsv([{ iteration: 1, 'reward/mean': 0.25 }, { 'eval/reward': 1e-7, iteration: 2, 'reward/mean': -0.5 }])).toBe(
      'iteration,reward/mean,eval/reward\r\n1,0.25,\r\n2,-0.5,1e-7\r\n',
    );
  });

  it('quotes names that would break a line', () => {
    expect(metricsCsv([{ iteration: 1, 'reward/a,"b"': 1 }])).toBe('iteration,"reward/a,""b"""\r\n1,1\r\n');
  });
});
